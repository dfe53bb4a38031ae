package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/cli/pages"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/llm"
	"ctxledger.dev/trust"
	"ctxledger.dev/workspace"
)

// statusLine is the columns of stored text that are shown.
const statusLine = 64

func statusCommand() command {
	return command{
		name: "status", args: "[SESSION]", rank: everyday,
		short: "Show what fills a session's window, and what the ledger holds",
		long: "Shows what fills a session's window, what the session cost, what would be cut next, and what the ledger " +
			"holds. docs/guide.md explains each row.",
		example: "ctxledger status\nctxledger status --json",
		does:    keeps, json: answers(pages.Status{}), ask: showStatus,
	}
}

func showStatus(ctx context.Context, a *action, args []string) error {
	s, missing := a.session(ctx, strings.Join(args, ""))
	info, err := a.ledger.Info(ctx, ledger.InfoRequest{}) // after the owner has read what there is
	if err != nil {
		return err
	}
	out := pages.Status{Ledger: info, Found: a.place.Why, Apart: a.place.Apart,
		Others: workspace.Others(a.Env, a.place), OwnCost: registry.OwnCost{Tokens: a.ServerCost}}
	out.Elsewhere = otherLedgers(ctx, a, a.place, "status")
	c := a.settings(a.place)
	out.Ceiling, out.Recording, out.Summarizer = c.Ceiling(), recording(c), summarizerLine(a, c)
	out.Candidates = countCandidates(ctx, a.ledger)
	switch {
	case missing == nil:
		var meter meterFunc
		if counter, _ := ledger.CounterOf(ctx, a.ledger, c.Models, s.Model); s.Model != "" { // known or not
			meter = carried.For(ledger.Meter{Counter: counter})
		}
		found, err := findCarried(ctx, a, meter, s)
		if err != nil {
			return err
		}
		st, err := a.ledger.Status(ctx, ledger.StatusRequest{Session: s.ID, Tools: found.OwnTools(s.Host)})
		if err != nil {
			return err
		}
		out.OwnCost, st.Own = registry.OwnCostOf(found, s.Host), found.Explain(st.Use)
		out.Session, out.Unread = &st, info.Unread(s)
	case len(args) > 0 || !fault.Is(missing, fault.NotFound):
		return missing
	default:
		out.Newest = newestHere(a)
	}
	out.Told = told(ctx, a.ledger, c)
	return a.answer(out, func(w io.Writer) {
		in, limits := "", ""
		if out.Session != nil {
			in, limits = ranIn(a, out.Session.Session), windowSource(a, out.Session.Limits)
		}
		a.page(w).Status(out, in, limits)
	})
}

// told names what a hook tells a session that begins, where hooks are connected.
func told(ctx context.Context, api ledger.MemoryStore, c config.Config) []string {
	var out []string
	if c.Hooks.Memory {
		if page, err := api.Memories(ctx, ledger.MemoriesRequest{}); err == nil && len(page.Entries) > 0 {
			out = append(out, "the memories")
		}
	}
	if i := c.Index; len(i.Skills)+len(i.References)+len(i.Memories) > 0 {
		out = append(out, "the index")
	}
	if c.Hooks.Environment {
		out = append(out, "the time and what .gitignore excludes")
	}
	return out
}

// settings reads the configuration and reports its problems on standard error: the daemon, which uses it, cannot.
func (a *action) settings(ws workspace.Workspace) config.Config {
	c, problems := config.Load(a.Env, ws.Root, ws.State)
	a.complain(problems)
	return c
}

// complain reports problems of the configuration, each once.
func (a *action) complain(problems []config.Problem) {
	for _, p := range problems {
		if slices.Contains(a.complained, p) {
			continue
		}
		a.complained = append(a.complained, p)
		a.say("%s", p)
		if p.Hint != "" {
			a.hint("%s", p.Hint)
		}
	}
}

// suffer reports the problems because of which a file is not used: every command that works with a ledger depends on
// the settings.
func suffer(a *action, ws workspace.Workspace) {
	_, problems := config.Load(a.Env, ws.Root, ws.State)
	a.complain(slices.DeleteFunc(problems, func(p config.Problem) bool { return p.Severity != config.Error }))
}

// recording says who decided whether session files are followed; "" for the default.
func recording(c config.Config) string {
	if c.FollowFrom.File == "" {
		return ""
	}
	state := "off for session files"
	if c.Follow {
		state = "on"
	}
	text := fmt.Sprintf("%s: %s follow: %t", state, c.FollowFrom, c.Follow)
	if c.FollowOver.File != "" {
		text += ", which overrides " + c.FollowOver.String()
	}
	if !c.Follow {
		text += "; " + ledger.StillRecorded
	}
	return text
}

// summarizerLine says which model writes summaries, and what keeps it from being used; "" for none.
func summarizerLine(a *action, c config.Config) string {
	if c.Summarizer == nil {
		return ""
	}
	approved, err := trust.Check(a.Env, a.place)
	text := fmt.Sprintf("%s, set in %s", llm.Place(c.Summarizer.Effective()), c.SummarizerFrom)
	switch {
	case err != nil:
		text += "; not usable: " + err.Error()
	case !approved.Own():
		text += ", as you confirmed"
	}
	if c.SummarizerOver.File != "" {
		text += "; that of " + c.SummarizerOver.String() + " is ignored as a whole"
	}
	return text
}
