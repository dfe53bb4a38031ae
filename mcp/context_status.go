package mcp

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/panel"
	"ctxledger.dev/tokens"
)

func statusTool() tool {
	return tool{
		name:        "context_status",
		description: "What fills this chat's context window, how much is left, what a compaction would cut next.",
		does:        "shows what fills the window and what would be cut next",
		hints:       hints{readOnly: true, idempotent: true},
		input:       `{"type":"object","properties":{"session":{"type":"string"},"model":{"type":"string"}}}`,
		output: `{"type":"object","properties":{` +
			`"session":{"type":"string"},` +
			`"window":{"type":"integer"},` +
			`"held":{"type":"object","description":"by this chat's window"},` +
			`"compacts_at":{"type":"integer","description":"by the host itself"},` +
			`"used":{"type":"object","description":"what ctxledger would send"},` +
			`"threshold":{"type":"integer","description":"of a request: compact above"},` +
			`"categories":{"type":"array"},` +
			`"next_cuts":{"type":"array"},` +
			`"carried":{"type":"array","description":"files in every request"},` +
			`"overhead_tokens":{"type":"integer","description":"these tools"},` +
			`"panel":{"type":"object","description":"the window by category, and what is cut next"}},"required":["used"]}`,
		secrets: "masked", why: "names and labels are made from masked text",
		calls: []string{`{"session":"SESSION"}`},
		run:   takes(contextStatus),
	}
}

// namedClears is how many results that would be cleared the text of a status names.
const namedClears = 3

// statusArgs are the arguments of context_status.
type statusArgs struct {
	Session string `json:"session"`
	Model   string `json:"model"`
}

// statusResult is the result of context_status. The last fields repeat the others under the names of fuseraft's
// get_context_status.
type statusResult struct {
	Session    string       `json:"session"`
	Model      string       `json:"model,omitempty"`
	WhatIf     string       `json:"what_if,omitempty"`     // Model was asked for and is not the session's, in words
	Window     int          `json:"window,omitempty"`      // tokens; absent: unknown
	WindowFrom string       `json:"window_from,omitempty"` // what Window rests on, in words
	Used       tokens.Count `json:"used"`
	Held       tokens.Count `json:"held"`                  // by the agent's own window: measured, and what came since
	Measured   int64        `json:"measured,omitempty"`    // by the provider, with the newest answer
	CompactsAt int          `json:"compacts_at,omitempty"` // where the host compacts automatically
	Threshold  int          `json:"threshold"`             // of what ctxledger would send
	Categories []share      `json:"categories"`
	NextCuts   []share      `json:"next_cuts"`
	Summary    string       `json:"summary_id,omitempty"` // the compaction in effect
	Became     string       `json:"became,omitempty"`     // what it replaced and became, in words
	Saved      tokens.Count `json:"saved"`                // kept out by stubs and the summary
	// Savings is what was not sent in this session because of us: see ledger.Savings.
	Savings  *ledger.Savings `json:"savings,omitempty"`
	Overhead int             `json:"overhead_tokens"`    // of our tools and instructions: see own
	Warnings []string        `json:"warnings,omitempty"` // about the session's input, and errors in the configuration
	Panel    *panel.Panel    `json:"panel,omitempty"`
	carriedResult

	Estimated int     `json:"estimated_tokens"`
	Budget    int     `json:"budget"`
	Percent   float64 `json:"pct_used"`
	Remaining int     `json:"tokens_remaining"`
	Turn      int     `json:"turn"`

	Unread string `json:"unread,omitempty"` // why nothing is known of the session; "": something is recorded of it

	Waits string `json:"waits,omitempty"` // what would be cut at this size and does not pay yet
	own   registry.OwnCost
	room  string // see ledger.Use.Room
	// dueAbove is ledger.Status.DueAbove.
	dueAbove string
	whose    string // in prose: the window of this chat, or of the session that was named
}

// share is a part of a view.
type share struct {
	Name   string       `json:"name"`
	Tokens tokens.Count `json:"tokens"`
}

// contextStatus runs the tool.
func contextStatus(ctx context.Context, c *call, a statusArgs) (reply, error) {
	s, err := c.session(ctx, a.Session)
	if errors.Is(err, errUnknownChat) {
		r := statusResult{Categories: []share{}, NextCuts: []share{}, Warnings: c.problems(ctx),
			own: c.cost(carried.Report{}, c.client)}
		r.Overhead = r.own.Tokens
		return reply{r, unrecorded(err, r)}, nil
	}
	if err != nil {
		return reply{}, err
	}
	found, root := c.found(ctx, cmp.Or(a.Model, s.Model), s)
	st, err := c.api.Status(ctx, ledger.StatusRequest{Session: s.ID, Model: a.Model, Tools: found.OwnTools(s.Host)})
	if err != nil {
		return reply{}, err
	}
	info, err := c.api.Info(ctx, ledger.InfoRequest{})
	if err != nil {
		return reply{}, err
	}
	r := statusResult{
		Unread: info.Unread(s), Session: s.ID, Model: oneLine(st.Model, 100), Window: st.Window, Used: st.Used,
		WindowFrom: ledger.WindowSize{From: st.WindowFrom}.Words(),
		Measured:   st.Measured, Held: st.Held, CompactsAt: st.CompactsAt, Threshold: st.Threshold,
		Categories: []share{}, NextCuts: []share{},
		Summary: st.Summary, Became: st.Became, Saved: st.Saved, Savings: &st.Savings,
		own: c.cost(found, s.Host), Estimated: st.Held.N, Budget: cmp.Or(st.CompactsAt, st.Threshold),
		Turn: st.Session.Turns, Warnings: c.problems(ctx), Waits: st.Waits, whose: "this chat's",
		room: st.Room(), dueAbove: st.DueAbove(),
	}
	r.Overhead = r.own.Tokens
	filled := panel.Of(st, found, r.Overhead).Leading()
	r.Panel = &filled
	if a.Model != "" && a.Model != s.Model {
		r.WhatIf = "as it would be with that model: the session's is " + cmp.Or(oneLine(s.Model, 100), "not known")
	}
	if a.Session != "" {
		r.whose = "its"
	}
	r.Remaining = max(0, r.Budget-r.Estimated)
	if r.Budget > 0 {
		r.Percent = float64(r.Estimated*1000/r.Budget) / 10
	}
	r.carriedResult = c.carried(ctx, st, found, root)
	for _, w := range st.Warned {
		r.Warnings = append(r.Warnings, oneLine(w.String(), 300))
	}
	for _, x := range st.Categories {
		r.Categories = append(r.Categories, share{x.Name, x.Tokens})
	}
	for _, x := range st.NextCuts {
		r.NextCuts = append(r.NextCuts, share{oneLine(x.Label, 120), x.Tokens})
	}
	return reply{r, r.String()}, nil
}

// unrecorded says what is known of a chat that is not recorded.
func unrecorded(err error, r statusResult) string {
	var b chars.Prose
	b.Say("%s: %s\nctxledger's own tools cost %s", err, stepFor(fault.HintOf(err)), r.own)
	b.SayIf(len(r.Warnings) > 0, "\nwarning: %s", strings.Join(r.Warnings, "\nwarning: "))
	return b.String()
}

// String returns the status as prose.
func (r statusResult) String() string {
	var b chars.Prose
	b.Say("session %s", r.Session)
	if r.Unread != "" {
		b.Say(": nothing known about it, %s\nctxledger's own tools cost %s", r.Unread, r.own)
		return b.String()
	}
	b.SayIf(r.Model != "", ", model %s", r.Model)
	b.SayIf(r.WhatIf != "", " (%s)", r.WhatIf)
	b.Say("\n%s\n", r.Panel)
	b.Say("\n%s window holds %s", r.whose, r.Held.Tokens())
	b.SayIf(r.Window > 0, " of %s (%s)", chars.Commas(r.Window), chars.Share(r.Held.N, r.Window))
	b.SayIf(r.room != "", "; %s", r.room)
	b.Say("\nctxledger would send %s of the conversation, and compact it above %s", r.Used, r.dueAbove)
	b.SayIf(r.Waits != "", "\nold results: %s", r.Waits)
	b.SayIf(r.Summary != "", "\nsummary in effect: %s, %s", r.Summary, r.Became)
	b.SayIf(r.Savings != nil, "\nnot sent in this session because of ctxledger: %s", r.Savings)
	b.Say("\nkept out by stubs and summary: %s; ctxledger's own tools cost %s", r.Saved, r.own)
	for _, line := range r.carriedResult.lines() {
		b.WriteString("\n" + line)
	}
	for _, w := range r.Warnings {
		b.Say("\nwarning: %s", w)
	}
	if r.Panel.ClearsAt > 0 {
		for i, x := range r.Panel.NextClears[:min(len(r.Panel.NextClears), namedClears)] {
			b.SayIf(i == 0, "\na clearing would cut first:")
			b.Say("\n- %s: %s", oneLine(x.Label, 120), x.Tokens)
		}
	}
	b.SayIf(len(r.NextCuts) > 0, "\na compaction would cut first:")
	for _, x := range r.NextCuts {
		b.Say("\n- %s: %s", x.Name, x.Tokens)
	}
	return b.String()
}
