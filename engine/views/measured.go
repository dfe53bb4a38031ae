package views

import (
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// measured is what the provider measured of an answer and its request. A host that writes an answer in parts
// says with each of them what it adds.
type measured struct {
	group  string
	tokens int64
}

// take takes an entry into account. Those of subagents are no answers of the main conversation.
func (m *measured) take(e *sessions.Entry) {
	if e.Kind != sessions.KindMessage || e.Usage == nil || e.Hidden {
		return
	}
	if e.Group == "" || e.Group != m.group {
		*m = measured{group: e.Group}
	}
	m.tokens += e.Usage.Input + e.Usage.CacheRead + e.Usage.CacheWrite + e.Usage.Output
}

// newestMeasured returns what the provider measured of the newest answer of the main conversation, as far as its
// entries are meant, and how many entries there are up to its last part. Nothing was measured: 0 tokens.
func newestMeasured(f *core.Folded, meant func(i int) bool) (n int64, upTo int) {
	var newest []*sessions.Entry // backwards
	for i := len(f.Entries) - 1; i >= 0; i-- {
		e := &f.Entries[i]
		if e.Kind != sessions.KindMessage || e.Usage == nil || e.Hidden || !meant(i) {
			continue
		}
		if len(newest) > 0 && (e.Group == "" || e.Group != newest[0].Group) {
			break
		}
		if len(newest) == 0 {
			upTo = i + 1
		}
		newest = append(newest, e)
	}
	var m measured
	for _, e := range slices.Backward(newest) {
		m.take(e)
	}
	return m.tokens, upTo
}

// anyEntry means all of a log.
func anyEntry(int) bool { return true }

// held returns what the window of the agent holds by now: what the provider measured of the newest answer that was not
// gone back from, and the messages since then as the agent has them, without our stubs. Where the host compacted by
// itself since, that is its summary with what came after it, and what is carried besides. Where nothing was measured,
// it is the view and that.
func held(f *core.Folded, c tokens.Counter, u ledger.Use) tokens.Count {
	fixed := tokens.Count{Exact: true}
	if u.Fixed != nil {
		fixed = *u.Fixed
	}
	measured, upTo := newestMeasured(f, f.View.Active)
	if measured == 0 {
		return sum(u.Used, fixed)
	}
	base, since := tokens.Count{N: int(measured), Exact: true, Upper: int(measured)}, 0
	for i := upTo; i < len(f.Entries); i++ {
		e := &f.Entries[i]
		switch {
		case !f.View.Active(i):
		case e.Earlier:
			base, since = fixed, e.Tokens
		case e.Kind == sessions.KindMessage && !e.Hidden:
			since += e.Tokens
		}
	}
	if since == 0 {
		return base
	}
	n := sum(base, c.Of(since))
	n.Exact = false // what a provider wraps a message in is not known
	return n
}

// sum adds two counts.
func sum(a, b tokens.Count) tokens.Count {
	return tokens.Count{N: a.N + b.N, Exact: a.Exact && b.Exact, Upper: a.Upper + b.Upper}
}
