package views

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/window"
)

// maxMessages is how many messages of a window a status names.
const maxMessages = 20

// maxNextLabel bounds the label of a result that would be cleared, in characters.
const maxNextLabel = 120

// callsOf returns what was measured since the compaction in effect: the host's, or ours where sends says that our view is sent.
func callsOf(f *core.Folded, sends bool, now time.Time) (c ledger.Calls) {
	since := f.View.Host
	if cur := f.Current(); cur != nil && sends {
		since = max(since, f.At[cur.ID])
	}
	present := func(i int) bool { return f.Entries[i].Seq > since && f.View.Active(i) }
	var r asking
	for i := range f.Entries {
		if !present(i) {
			continue
		}
		if n, ok := r.of(&f.Entries[i]); ok {
			c.N = max(c.N, n+1)
			if c.Began == 0 {
				c.Began = f.Entries[i].Usage.Prompt()
			}
		}
	}
	if last, _ := newestMeasured(f, present); last.tokens() > 0 {
		c.Last = &last.usage
		c.Cached = min(cachedAt(f.Entries, time.Time{}, now).kept, int64(last.usage.Prompt()))
	}
	c.Compacted = since > 0 && c.Last == nil
	return c
}

// messagesOf returns the messages that take most of the agent's own window.
func messagesOf(f *core.Folded, g gauge) []ledger.WindowMessage {
	slots, measure, result := g.whole.Slots, g.agents, g.entire
	if g.held == nil { // then the agent has the view: see ownSources
		slots, measure, result = f.View.Slots, g.measure, stubbed
	}
	all := make([]ledger.WindowMessage, 0, len(slots))
	for _, slot := range slots {
		first, n := &f.Entries[slot.Seqs[0]-1], slot.Tokens
		for _, seq := range slot.Seqs {
			for _, r := range resultsIn(slot, &f.Entries[seq-1]) {
				n += result(r) - stubbed(r)
			}
		}
		all = append(all, ledger.WindowMessage{Seq: first.Seq, Handle: first.Handle(), Turn: slot.Turn, Role: slot.Role,
			Tokens: measure.Entry(first.Seq, n)})
	}
	slices.SortFunc(all, func(a, b ledger.WindowMessage) int {
		return cmp.Or(cmp.Compare(b.Tokens.N, a.Tokens.N), cmp.Compare(a.Seq, b.Seq))
	})
	return all[:min(len(all), maxMessages)]
}

// nextClears returns the results that the next clearing takes, with secrets masked.
func (l *Views) nextClears(f *core.Folded, st window.State, m measure) []ledger.NextCut {
	out := []ledger.NextCut{}
	for _, x := range window.NextClears(f.Input(), f.Policy, st) {
		label := chars.Short(chars.Line(strings.TrimSpace(x.Call.Name+" "+x.Call.Target)), maxNextLabel)
		out = append(out, ledger.NextCut{Label: l.core.Masks.String(label), Seq: x.Seq,
			Tokens: m.Entry(x.Seq, x.Tokens)})
		if len(out) == maxNextCuts {
			break
		}
	}
	return out
}
