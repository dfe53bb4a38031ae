package engine

import (
	"slices"

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

// newestMeasured returns what the provider measured of the newest answer of the main conversation, and how many
// entries there are up to its last part. Nothing was measured: 0 tokens.
func (f *folded) newestMeasured() (n int64, upTo int) {
	var newest []*sessions.Entry // backwards
	for i := len(f.entries) - 1; i >= 0; i-- {
		e := &f.entries[i]
		if e.Kind != sessions.KindMessage || e.Usage == nil || e.Hidden {
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

// held returns what the window of the agent holds by now: what the provider measured last, and the messages since
// then as the agent has them, without our stubs. Where the host compacted by itself since, that is its summary with what
// came after it, and what is carried besides. Where it went back, or nothing was measured, it is the view and that.
func (f *folded) held(c tokens.Counter, u Use) tokens.Count {
	fixed := 0
	if u.Fixed != nil {
		fixed = u.Fixed.N
	}
	base, upTo := f.newestMeasured()
	known, since := base > 0, 0
	for i := range f.entries[upTo:] {
		switch e := &f.entries[upTo+i]; {
		case e.Kind == sessions.KindRewind:
			known = false
		case e.Earlier:
			base, since = int64(fixed), e.Tokens
		case e.Kind == sessions.KindMessage && !e.Hidden:
			since += e.Tokens
		}
	}
	switch {
	case !known:
		return tokens.Count{N: u.Used.N + fixed, Exact: u.Used.Exact && fixed == 0, Upper: u.Used.Upper + fixed}
	case since == 0:
		return tokens.Count{N: int(base), Exact: true, Upper: int(base)}
	}
	more := c.Of(since)
	return tokens.Count{N: int(base) + more.N, Upper: int(base) + more.Upper}
}
