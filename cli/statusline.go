package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/cli/hooking"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/panel"
	"ctxledger.dev/sessions"
)

// maxStatusInput bounds what Claude Code gives to a status line, in bytes.
const maxStatusInput = 1 << 20

func statusLineCommand() command {
	return command{
		name: "statusline", rank: hidden, short: "Print a status line for Claude Code (called from its settings)",
		long: "Reads the JSON that Claude Code gives to a status line, and prints how full the window is (yellow from 70%, " +
			"or where `warn_at` or a limit is near; red from 90%, or where a limit is reached), what all sessions of this " +
			"workspace cost today, subagents included, and what this session saved. It asks a running daemon, and starts " +
			"none: without one it prints what Claude Code says. It always exits with 0.",
		example: "ctxledger statusline < event.json",
		does:    keeps, json: answers(statusLineAnswer{}), run: showStatusLine,
	}
}

// statusLineAnswer is what the statusline command answers.
type statusLineAnswer struct {
	Percent *float64    `json:"pct_used,omitempty"` // of the window; nil: not known
	Window  int         `json:"window,omitempty"`   // in tokens; 0: not known
	Level   panel.Level `json:"level,omitempty"`
	Dollars *float64    `json:"session_usd,omitempty"` // what the session cost, as Claude Code says; nil: it does not
	// Ledger is what a daemon answered; nil: none did.
	Ledger *ledger.StatusLine `json:"ledger,omitempty"`
}

// statusInput is what is read of the JSON that Claude Code gives to a status line. Before the first answer and after a
// compaction it knows no percentage.
type statusInput struct {
	Session string `json:"session_id"`
	Window  struct {
		Percent *float64 `json:"used_percentage"`
		Size    int      `json:"context_window_size"`
	} `json:"context_window"`
	Cost struct {
		Dollars *float64 `json:"total_cost_usd"`
	} `json:"cost"`
}

func showStatusLine(ctx context.Context, a *action, _ []string) error {
	var in statusInput
	if !terminal(a.In) {
		raw, _ := io.ReadAll(io.LimitReader(a.In, maxStatusInput)) // what is missing is not shown
		_ = json.Unmarshal(raw, &in)
	}
	out := statusLineAnswer{Percent: in.Window.Percent, Window: in.Window.Size, Dollars: in.Cost.Dollars}
	if line, err := askStatusLine(ctx, a, in.Session); err == nil {
		out.take(line)
	}
	out.rate()
	if a.json {
		return a.answerJSON(out)
	}
	if text := out.words(a.Env.Lookup("NO_COLOR") == ""); text != "" {
		fmt.Fprintln(a.Out, text) // of figures and names of settings: a search for secrets takes longer than the rest
	}
	return nil
}

// askStatusLine asks the daemon of this place, if one runs, within the time of a hook.
func askStatusLine(ctx context.Context, a *action, session string) (line ledger.StatusLine, err error) {
	ws, err := a.find()
	if err != nil {
		return line, err
	}
	ctx, cancel := context.WithTimeout(ctx, hooking.Time(a.Env))
	defer cancel()
	api, err := daemon.OpenWorkspace(ctx, ws, daemon.Options{Env: a.Env, Version: a.Version, NoSpawn: true})
	if err != nil {
		return line, err
	}
	defer api.Close() // nothing is written through it
	return api.StatusLine(ctx, ledger.StatusLineRequest{Host: string(claudecode.Name), HostID: session})
}

// take adds what a daemon knows. Of the window Claude Code knows more.
func (s *statusLineAnswer) take(line ledger.StatusLine) {
	s.Ledger = &line
	if s.Window == 0 {
		s.Window = line.Window
	}
	if s.Percent == nil && s.Window > 0 && line.Held.N > 0 {
		percent := 100 * float64(line.Held.N) / float64(s.Window)
		s.Percent = &percent
	}
}

// rate says how urgent it is.
func (s *statusLineAnswer) rate() {
	if s.Percent != nil {
		s.Level = panel.LevelOf(*s.Percent)
	}
	if s.Ledger == nil {
		return
	}
	for _, limit := range s.Ledger.Limits {
		if limit.Reached() {
			s.Level = panel.High
		}
	}
	if s.Level == "" && len(s.Ledger.Warned)+len(s.near()) > 0 {
		s.Level = panel.Warning
	}
}

// near returns the limits of which little is left.
func (s *statusLineAnswer) near() (limits []ledger.Spent) {
	for _, limit := range s.Ledger.Limits {
		if limit.Near() {
			limits = append(limits, limit)
		}
	}
	return limits
}

// words says it in one line; "" if nothing is known.
func (s *statusLineAnswer) words(coloured bool) string {
	said := []string{s.window()}
	if s.Ledger == nil && s.Dollars != nil {
		said = append(said, chars.Money(*s.Dollars, true)+" this session")
	}
	if s.Ledger != nil {
		said = append(said, costWords(s.Ledger.Today), savedWords(s.Ledger.Savings), reducedWords(s.Ledger.Reduced))
		for _, limit := range s.near() {
			said = append(said, fmt.Sprintf("%s %.0f%%", chars.Line(limit.Written()), 100*limit.Used/limit.Most))
		}
	}
	said = slices.DeleteFunc(said, func(x string) bool { return x == "" })
	colour := map[panel.Level]string{panel.Warning: "\x1b[33m", panel.High: "\x1b[31m"}[s.Level]
	if coloured && colour != "" && len(said) > 0 {
		said[0] = colour + said[0] + "\x1b[0m"
	}
	return strings.Join(said, " · ")
}

// window says how full the window is.
func (s *statusLineAnswer) window() string {
	switch {
	case s.Percent != nil && s.Window > 0:
		return fmt.Sprintf("%.0f%% of %s", *s.Percent, panel.Short(s.Window))
	case s.Percent != nil:
		return fmt.Sprintf("%.0f%%", *s.Percent)
	case s.Ledger != nil && s.Ledger.Held.N > 0:
		return s.Ledger.Held.Tokens()
	}
	return ""
}

// costWords says what was spent today, "" for nothing.
func costWords(c sessions.Cost) string {
	switch {
	case c.Dollars != nil:
		return chars.Money(*c.Dollars, true) + " today"
	case c.Unpriced != nil:
		return chars.Plural(c.Unpriced.Tokens, "token") + " today"
	}
	return ""
}

// savedWords says what hooks kept out of the requests of the session, "" where they replaced nothing.
func savedWords(s ledger.Savings) string {
	switch {
	case len(s.Causes) == 0:
		return ""
	case s.Net < 0:
		return chars.Tokens(-s.Net, false) + " more sent"
	}
	return chars.Tokens(s.Net, false) + " saved"
}

// reducedWords says what a proxy saved in the session, "" where that is not known.
func reducedWords(u *ledger.ReducedUse) string {
	switch {
	case u == nil || u.Net == nil:
		return ""
	case *u.Net < 0:
		return chars.Money(-*u.Net, false) + " lost"
	}
	return chars.Money(*u.Net, false) + " saved"
}
