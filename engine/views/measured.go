package views

import (
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// measured is what the provider measured of an answer and its request. A host that writes an answer in parts gives
// each part its own usage.
type measured struct {
	group string
	usage sessions.Usage
	whole bool // they have its request
	said  int  // o200k_base tokens of the answer, as far as it is recorded: see saw
	begun bool // its newest part was written before it was complete, when its output was not known
}

// tokens returns what the answer and its request have; 0: the request was not measured.
func (m *measured) tokens() int64 {
	if !m.whole {
		return 0
	}
	return int64(m.usage.Prompt()) + m.usage.Output
}

// count returns what the answer and its request have: of an answer whose output was not known at least what is recorded of it.
func (m *measured) count(c tokens.Counter) tokens.Count {
	n := int(m.tokens())
	out := tokens.Count{N: n, Exact: true, Upper: n}
	said := c.Of(m.said)
	if more := said.N - int(m.usage.Output); m.begun && more > 0 {
		out = tokens.Count{N: n + more, Upper: max(n+more, n-int(m.usage.Output)+said.Upper)}
	}
	return out
}

// saw takes note of an entry that is a part of the answer, whether it has a usage of its own or not.
func (m *measured) saw(e *sessions.Entry) {
	if e.Group != "" && e.Group == m.group && m.whole && !e.Hidden {
		m.said += max(0, e.Tokens-tokens.Framing)
		m.begun = e.Unfinished
	}
}

// take takes an entry into account. Entries of subagents are not part of the main conversation.
func (m *measured) take(e *sessions.Entry) {
	if !e.Measured() || e.Hidden {
		return
	}
	asks := e.Usage.Prompt() > 0
	if e.Group == "" || e.Group != m.group {
		if m.whole && !asks && e.Group != "" {
			return // a part of an earlier answer, whose request was measured with the first one
		}
		*m = measured{group: e.Group}
	}
	m.whole = m.whole || asks
	m.usage = m.usage.Add(*e.Usage)
}

// newestMeasured returns what the provider measured of the newest answer of the main conversation, of the entries
// that meant accepts, and how many entries there are up to its last part. Nothing was measured: 0 tokens.
func newestMeasured(f *core.Folded, meant func(i int) bool) (m measured, upTo int) {
	var newest []*sessions.Entry // backwards
	whole := false               // they have its request
	for i := len(f.Entries) - 1; i >= 0; i-- {
		e := &f.Entries[i]
		if !e.Measured() || e.Hidden || !meant(i) {
			continue
		}
		if len(newest) > 0 && (e.Group == "" || e.Group != newest[0].Group) {
			if whole || newest[0].Group == "" {
				break
			}
			continue // parts of others may stand between those of one
		}
		if len(newest) == 0 {
			upTo = i + 1
		}
		whole = whole || e.Usage.Prompt() > 0
		newest = append(newest, e)
	}
	for _, e := range slices.Backward(newest) {
		m.take(e)
	}
	return m, upTo
}

// cutSince says what took something out of the agent's own window since the provider measured it last: see ledger.Use.Cut.
func cutSince(f *core.Folded) (why string) {
	_, newest := newestMeasured(f, func(int) bool { return true })
	if newest > 0 && !f.View.Active(newest-1) {
		return ledger.CutBack
	}
	for i := newest; i < len(f.Entries) && newest > 0; i++ {
		switch e := &f.Entries[i]; {
		case !f.View.Active(i):
		case e.Earlier:
			why = ledger.CutCompacted
		case len(e.Cleared) > 0 && why == "":
			why = ledger.CutCleared
		}
	}
	return why
}

// held returns what the agent's own window holds now: what the provider measured of the newest answer on the active
// branch, and the messages since then as the agent has them, without our stubs. If the host has compacted since, that
// is its summary, what it kept, what came after it, and the fixed input, nil where that is not known. cleared is how much
// o200k_base counts of the results in that which the host has cleared since. known is false if nothing was measured.
func held(f *core.Folded, c tokens.Counter, besides *tokens.Count) (n tokens.Count, cleared int, known bool) {
	fixed := tokens.Count{Exact: true}
	if besides != nil {
		fixed = *besides
	}
	newest, upTo := newestMeasured(f, f.View.Active)
	measured := newest.tokens()
	if measured == 0 {
		return fixed, 0, false
	}
	for i := range f.Entries {
		if f.View.Active(i) {
			newest.saw(&f.Entries[i])
		}
	}
	base, since := newest.count(c), 0
	for i := upTo; i < len(f.Entries); i++ {
		e := &f.Entries[i]
		switch {
		case !f.View.Active(i):
		case e.Earlier:
			base, since, cleared = fixed, e.Tokens+f.View.HostKept, 0
		case len(e.Cleared) > 0:
			cleared += clearedBy(f.Entries[:i], e.Cleared)
		case e.Group != "" && e.Group == f.Entries[upTo-1].Group: // more of the answer that was measured
		case e.Kind == sessions.KindMessage && !e.Hidden:
			since += e.Tokens
		}
	}
	if n = base; since > 0 {
		n = sum(base, c.Of(since))
	}
	n.Exact = n.Exact && since == 0 && cleared == 0 // how a provider frames a message is not known
	return n, cleared, true
}

// clearedBy returns by how many tokens results of a log shrink that the host clears.
func clearedBy(log []sessions.Entry, list []sessions.Cleared) (n int) {
	left := map[string]int{}
	for _, c := range list {
		left[c.Call] = c.Tokens
	}
	for i := range log {
		for _, r := range log[i].Results {
			if tokens, cleared := left[r.CallID]; cleared {
				n += max(0, r.Tokens-tokens)
			}
		}
	}
	return n
}

// sum adds two counts.
func sum(a, b tokens.Count) tokens.Count {
	return tokens.Count{N: a.N + b.N, Exact: a.Exact && b.Exact, Upper: a.Upper + b.Upper}
}
