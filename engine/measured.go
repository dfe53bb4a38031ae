package engine

import (
	"slices"

	"ctxledger.dev/sessions"
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

// measured returns what the provider measured of the newest answer of the main conversation; 0: nothing.
func (f *folded) measured() int64 {
	var newest []*sessions.Entry // backwards
	for i := len(f.entries) - 1; i >= 0; i-- {
		e := &f.entries[i]
		if e.Kind != sessions.KindMessage || e.Usage == nil || e.Hidden {
			continue
		}
		if len(newest) > 0 && (e.Group == "" || e.Group != newest[0].Group) {
			break
		}
		newest = append(newest, e)
	}
	var m measured
	for _, e := range slices.Backward(newest) {
		m.take(e)
	}
	return m.tokens
}
