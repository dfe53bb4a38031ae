package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"ctxledger.dev/compaction"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// maxNextCuts is how many of the next cuts a status names.
const maxNextCuts = 10

// Status implements API.
func (l *Local) Status(ctx context.Context, r StatusRequest) (Status, error) {
	if err := checkTexts("engine.status", label("session", r.Session), label("model", r.Model), label("agent", r.Agent)); err != nil {
		return Status{}, err
	}
	return view(ctx, l, func(tx kv.Tx) (Status, error) {
		f, err := l.foldFor(tx, r.Session, r.Reader, true)
		if err != nil {
			return Status{}, err
		}
		_, text, err := l.summaryMessage(ctx, f)
		if err != nil {
			return Status{}, err
		}
		c := f.counter(r.Model)
		st := Status{
			Session: f.session, Model: c.Model(), Used: c.Of(f.tokens(text)), Total: f.session.Usage,
			Counting: c.Quality(), Measured: f.measured(), Categories: f.categories(c, text), SinceTurns: f.turns(), Saved: c.Of(f.saved(text)),
		}
		w, err := l.windowOf(tx, f, r.Model)
		if err != nil {
			return Status{}, err
		}
		if st.Window = w.Tokens; w.Learned != nil || w.OutputCap > 0 {
			st.Limits = &w
		}
		st.Agents = f.agents()
		st.Threshold = f.policy.Compact.Threshold(st.Window)
		if cur := f.current(); cur != nil {
			st.Summary = cur.ID
		}
		st.Sources = f.sources(c)
		if fixed, known := f.fixed(c); known {
			st.Fixed = &fixed
		}
		next, err := l.decideOn(ctx, tx, f, EditViewRequest{Session: r.Session, Reader: r.Reader, Model: r.Model})
		if err != nil {
			return st, err
		}
		st.Next = next.made
		st.Next.Edits = nil // a status says how much, not what of each message
		st.NextCuts, err = l.nextCuts(ctx, tx, f, r.Model, c)
		return st, err
	})
}

// measured returns what the provider reported for the newest answer of the main conversation.
func (f *folded) measured() int64 {
	for i := len(f.entries) - 1; i >= 0; i-- {
		if e := f.entries[i]; e.Kind == sessions.KindMessage && e.Usage != nil && !e.Hidden {
			return e.Usage.Input + e.Usage.CacheRead + e.Usage.CacheWrite + e.Usage.Output
		}
	}
	return 0
}

// categories sums the view by what fills it, largest first. Together they are the whole view.
func (f *folded) categories(c tokens.Counter, summary string) []Category {
	sums := map[string]int{}
	if f.current() != nil {
		sums["summary"] = summaryTokens(summary)
	}
	for _, slot := range f.view.Slots {
		rest := slot.Tokens // what is not shown (a dropped call, a forgotten result) is not part of it
		take := func(name string, n int) {
			n = min(n, rest)
			sums[name] += n
			rest -= n
		}
		if slot.Note != "" {
			take("collapsed calls", slot.Tokens)
			continue
		}
		shown := shown(slot.Shortened)
		for _, seq := range slot.Seqs {
			e := f.entries[seq-1]
			for _, call := range e.Calls {
				take("tool calls", shown.tokens(seq, call.ID, window.PartArguments, call.Tokens))
			}
			for _, r := range e.Results {
				switch edited := shown.tokens(seq, r.CallID, window.PartResult, -1); {
				case edited >= 0:
					take("shortened results", edited)
				case r.Artifact != "":
					take("artifact stubs", r.StubTokens)
				default:
					take("tool results", r.Tokens)
				}
			}
		}
		take(categoryOf(slot.Role), rest)
	}
	names := slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b))
	})
	var out []Category
	upTo, before := 0, c.Of(0)
	for _, name := range names {
		if sums[name] == 0 {
			continue
		}
		upTo += sums[name]
		n := c.Of(upTo) // so that roundings do not add up
		out = append(out, Category{name, tokens.Count{N: n.N - before.N, Exact: n.Exact, Upper: n.Upper - before.Upper}})
		before = n
	}
	return out
}

// shown are the edits of a slot.
type shown []window.Edit

// tokens returns what is shown of a part, or whole where it was not edited.
func (s shown) tokens(seq int64, call string, part window.Part, whole int) int {
	for _, e := range s {
		if e.Seq == seq && e.Call == call && e.Part == part {
			return e.Tokens
		}
	}
	return whole
}

func categoryOf(r transcript.Role) string {
	switch r {
	case transcript.RoleUser:
		return "user"
	case transcript.RoleAssistant:
		return "assistant"
	case transcript.RoleSystem:
		return "system"
	}
	return "tool results"
}

// turns counts the user's requests in the view.
func (f *folded) turns() int {
	n := 0
	for _, s := range f.view.Slots {
		if s.Prompt {
			n++
		}
	}
	return n
}

// saved is what stubs, edits and the summary keep out of the view, in o200k_base tokens.
func (f *folded) saved(summary string) int {
	n := -f.tokens(summary)
	for _, slot := range window.Plan(window.Input{Entries: f.entries}).Slots {
		n += slot.Tokens
		for _, seq := range slot.Seqs {
			for _, r := range f.entries[seq-1].Results {
				if slot.Stubs[r.CallID] != "" {
					n += r.Tokens - r.StubTokens
				}
			}
		}
	}
	return max(n, 0)
}

// nextCuts returns what the next compaction would take out of the view.
func (l *Local) nextCuts(ctx context.Context, tx kv.Tx, f *folded, model string, c tokens.Counter) ([]NextCut, error) {
	out := []NextCut{}
	p, err := l.plan(ctx, tx, f, compaction.Options{Model: model})
	if err != nil {
		return out, err
	}
	for _, cut := range p.Record.Cut {
		if len(out) == maxNextCuts {
			break
		}
		out = append(out, NextCut{Label: cut.Label, Seq: cut.Seq, Tokens: c.Of(cut.Tokens)})
	}
	return out, nil
}
