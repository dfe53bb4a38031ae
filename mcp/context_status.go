package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

func statusTool() tool {
	return tool{
		name:        "context_status",
		description: "What fills this chat's context window, how much is left, what a compaction would cut next.",
		hints:       hints{readOnly: true, idempotent: true},
		input:       `{"type":"object","properties":{"session":{"type":"string"},"model":{"type":"string"}}}`,
		output: `{"type":"object","properties":{` +
			`"session":{"type":"string"},` +
			`"window":{"type":"integer"},` +
			`"used":{"type":"object"},` +
			`"threshold":{"type":"integer","description":"compact above it"},` +
			`"categories":{"type":"array"},` +
			`"next_cuts":{"type":"array"},` +
			`"overhead_tokens":{"type":"integer","description":"these tools"}},"required":["used"]}`,
		run: contextStatus,
	}
}

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
	Window     int          `json:"window,omitempty"` // tokens; absent: unknown
	Used       tokens.Count `json:"used"`
	Measured   int64        `json:"measured,omitempty"` // by the provider, with the newest answer
	Threshold  int          `json:"threshold"`
	Categories []share      `json:"categories"`
	NextCuts   []share      `json:"next_cuts"`
	Summary    string       `json:"summary_id,omitempty"` // the compaction in force
	Saved      tokens.Count `json:"saved"`                // kept out by stubs and the summary
	Overhead   int          `json:"overhead_tokens"`      // of our tool list and instructions, exact
	Warnings   []string     `json:"warnings,omitempty"`   // errors in the configuration

	Estimated int     `json:"estimated_tokens"`
	Budget    int     `json:"budget"`
	Percent   float64 `json:"pct_used"`
	Remaining int     `json:"tokens_remaining"`
	Turn      int     `json:"turn"`
}

// share is a part of a view.
type share struct {
	Name   string       `json:"name"`
	Tokens tokens.Count `json:"tokens"`
}

// contextStatus runs the tool.
func contextStatus(ctx context.Context, c *call) (reply, error) {
	a, err := decode[statusArgs](c)
	if err != nil {
		return reply{}, err
	}
	s, err := c.session(ctx, a.Session)
	if errors.Is(err, errUnknownChat) {
		r := statusResult{Categories: []share{}, NextCuts: []share{}, Overhead: c.overhead(), Warnings: c.problems(ctx)}
		return reply{r, unrecorded(err, r)}, nil
	}
	if err != nil {
		return reply{}, err
	}
	st, err := c.api.Status(ctx, ledger.StatusRequest{Session: s.ID, Model: a.Model})
	if err != nil {
		return reply{}, err
	}
	r := statusResult{
		Session: s.ID, Model: oneLine(st.Model, 100), Window: st.Window, Used: st.Used, Measured: st.Measured,
		Threshold: st.Threshold, Categories: []share{}, NextCuts: []share{}, Summary: st.Summary, Saved: st.Saved,
		Overhead: c.overhead(), Estimated: st.Used.N, Budget: st.Threshold, Turn: st.Session.Turns,
		Warnings: c.problems(ctx),
	}
	if st.Measured > 0 {
		r.Estimated = int(st.Measured) // what the host sends, which our view does not change
	}
	r.Remaining = max(0, r.Budget-r.Estimated)
	if r.Budget > 0 {
		r.Percent = float64(r.Estimated*1000/r.Budget) / 10
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
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\nctxledger's own tools cost %d tokens of its window", err, fault.HintOf(err), r.Overhead)
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "\nwarning: %s", w)
	}
	return b.String()
}

// String returns the status as prose.
func (r statusResult) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "session %s", r.Session)
	if r.Model != "" {
		fmt.Fprintf(&b, ", model %s", r.Model)
	}
	used := r.Used.String() + " tokens used"
	if r.Measured > 0 {
		used = tokens.Count{N: int(r.Measured),
			Exact: true}.String() + " tokens used in the newest request, measured by the provider"
	}
	fmt.Fprintf(&b, ": %s, compact above %s (%g %%)", used, tokens.Count{N: r.Threshold, Exact: true}, r.Percent)
	if r.Window > 0 {
		fmt.Fprintf(&b, ", window %s", tokens.Count{N: r.Window, Exact: true})
	}
	if r.Measured > 0 {
		fmt.Fprintf(&b, "\nthe recorded conversation, without system prompt and tools: %s", r.Used)
	}
	for _, x := range r.Categories {
		fmt.Fprintf(&b, "\n- %s: %s", x.Name, x.Tokens)
	}
	if r.Summary != "" {
		fmt.Fprintf(&b, "\nsummary in force: %s", r.Summary)
	}
	fmt.Fprintf(&b, "\nkept out by stubs and summary: %s; ctxledger's own tools cost %d", r.Saved, r.Overhead)
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "\nwarning: %s", w)
	}
	if len(r.NextCuts) > 0 {
		b.WriteString("\na compaction would cut first:")
	}
	for _, x := range r.NextCuts {
		fmt.Fprintf(&b, "\n- %s: %s", x.Name, x.Tokens)
	}
	return b.String()
}
