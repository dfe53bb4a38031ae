// Package panel says what fills a session's window, in one text that all faces share. Start at Of, which takes the figures of a
// ledger.Status, and at Panel.String. It counts nothing itself.
package panel

import (
	"cmp"
	"slices"

	"ctxledger.dev/carried"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// Panel is what fills a window, and what happens next. Parts are estimates. Texts are safe to show.
type Panel struct {
	Session string       `json:"session"`
	Model   string       `json:"model,omitempty"`
	Window  int          `json:"window,omitempty"` // tokens; 0: unknown
	Held    tokens.Count `json:"held"`
	Percent float64      `json:"pct_used"` // of the window, also above 100; 0 where that is unknown
	Level   Level        `json:"level,omitempty"`
	None    bool         `json:"no_calls,omitempty"` // no model has answered yet

	Fixed  *tokens.Count `json:"fixed,omitempty"`         // in every call besides the conversation
	System *tokens.Count `json:"system_prompt,omitempty"` // of Fixed; nil: not known
	Memory *tokens.Count `json:"memory_index,omitempty"`  // of Fixed; nil: not known
	Notes  int           `json:"notes,omitempty"`         // that are loaded on demand
	Tools  int           `json:"tools,omitempty"`         // the rest of Fixed
	Said   int           `json:"conversation"`            // Held without Fixed
	// Besides says what the window has besides Held, of which nothing was measured: see ledger.Use.Besides.
	Besides string `json:"besides,omitempty"`
	// Scaled says which figures are scaled and which are not, if some are: see ledger.Use.Scaled.
	Scaled string `json:"scaled,omitempty"`

	// CompactsAt is where the conversation is compacted, and CompactsFrom what that rests on; ClearsAt is where old results are
	// cleared. 0: it is not known that they are. Sends says that ctxledger does both; else the host does what it does.
	CompactsAt   int    `json:"compacts_at,omitempty"`
	CompactsFrom string `json:"compacts_from,omitempty"`
	ClearsAt     int    `json:"clears_at,omitempty"`
	Sends        bool   `json:"sends_view"`
	// Compacts is what compacts the conversation at once: a command of the host or a tool of ours; "": none is known.
	Compacts string `json:"-"`
	Free     int    `json:"free"`             // until then; where that is not known, until the window is full
	Buffer   int    `json:"buffer,omitempty"` // of the window, behind CompactsAt and Held

	Calls     int             `json:"calls"` // since the compaction in effect
	Last      *sessions.Usage `json:"last_call,omitempty"`
	Growth    int             `json:"growth"` // since the first of Calls
	Compacted bool            `json:"estimated_after_compaction,omitempty"`
	// Cached is how many tokens at the front of the last call are probably in the provider's cache.
	Cached int64 `json:"cached"`

	Messages   []ledger.WindowMessage `json:"messages"` // largest first
	Sources    []ledger.Source        `json:"sources"`  // files, then calls by name, each largest first
	NextClears []ledger.NextCut       `json:"cleared_next"`
	NextCuts   []ledger.NextCut       `json:"compacted_next"`
	Offloaded  ledger.Offloaded       `json:"offloaded"`
	Overhead   int                    `json:"overhead_tokens"` // of ctxledger's own tools in every call
}

// Level says how full a window is.
type Level string

// The levels, and from which percentage on they hold.
const (
	Warning Level = "warning"
	High    Level = "high"

	warnFrom, highFrom = 70, 90
)

// LevelOf returns the level of a window of which a percentage is used; "": there is room.
func LevelOf(percent float64) Level {
	switch {
	case percent >= highFrom:
		return High
	case percent >= warnFrom:
		return Warning
	}
	return ""
}

// Of returns the panel of a session: report says what its requests carry, and overhead what they carry of our own tools.
func Of(st ledger.Status, report carried.Report, overhead int) Panel {
	p := Panel{
		Session: st.Session.ID, Model: line(st.Model), Window: st.Window, Held: st.Held, None: none(st),
		Fixed: st.Fixed, Besides: st.Besides(), Scaled: st.Scaled(),
		CompactsAt: st.CompactsAt, CompactsFrom: line(st.CompactsFrom), Sends: st.Sends,
		Calls: st.Calls.N, Last: st.Calls.Last, Compacted: st.Calls.Compacted, Cached: st.Calls.Cached,
		Messages: st.Messages, NextClears: named(st.NextClears), NextCuts: named(st.NextCuts), Offloaded: st.Offloaded,
		Sources: slices.Clone(st.OwnSources), Overhead: overhead, Compacts: agentname.Named(st.Session.Host).Compacts,
	}
	for i := range p.Sources {
		p.Sources[i].Name = line(p.Sources[i].Name)
	}
	if p.Sends {
		p.ClearsAt, p.Compacts = st.ClearsAt, "compact_conversation"
		if p.Compacted { // the next call has what is left
			p.Held = st.Used
			if st.Fixed != nil {
				p.Held = carried.Plus(p.Held, *st.Fixed)
			}
			p.Held.Exact = false
		}
	}
	if st.Fixed != nil && !st.Midway {
		p.System, p.Memory = systemOf(st), report.MemoryOf(st.Use)
		p.Notes = report.OnDemand(st.Session.Host)
	}
	if p.Last != nil {
		p.Growth = max(0, p.Held.N-st.Calls.Began)
	}
	return p.derived()
}

// none reports whether no model has answered: nothing was measured, and nothing was said.
func none(st ledger.Status) bool {
	said := []string{window.Assistant.String(), window.Calls.String(), window.Summary.String()}
	answers := func(c ledger.Category) bool { return slices.Contains(said, c.Name) }
	return st.Requests == 0 && st.Measured == 0 && !slices.ContainsFunc(st.Own, answers)
}

// systemOf returns what a proxy saw of the system prompt; nil: nothing, or it cannot be.
func systemOf(st ledger.Status) *tokens.Count {
	if st.Proxy == nil || st.Proxy.System == 0 {
		return nil
	}
	n := st.Scale.Of(st.Proxy.System)
	if n.N > st.Fixed.N {
		return nil
	}
	return &n
}

// derived returns the panel with all figures that follow from others. Differences below 0 are 0.
func (p Panel) derived() Panel {
	if p.Window > 0 && p.CompactsAt > p.Window {
		p.CompactsAt = 0 // never reached
	}
	if p.CompactsAt > 0 && p.ClearsAt >= p.CompactsAt {
		p.ClearsAt = 0
	}
	if p.Window > 0 {
		p.Percent = float64(tenths(p.Held.N, p.Window)) / 10
		p.Level = LevelOf(100 * float64(p.Held.N) / float64(p.Window))
	}
	p.Said = p.Held.N
	if p.Fixed != nil {
		p.Said = max(0, p.Held.N-p.Fixed.N)
		p.Tools = max(0, p.Fixed.N-count(p.System)-count(p.Memory))
	}
	if limit := cmp.Or(p.CompactsAt, p.Window); limit > 0 {
		p.Free, p.Buffer = max(0, limit-p.Held.N), max(0, p.Window-max(limit, p.Held.N))
	}
	return p
}

func count(n *tokens.Count) int {
	if n == nil {
		return 0
	}
	return n.N
}

// maxName bounds a name in characters.
const maxName = 120

// line makes one line of stored text, without what would end a span of code.
func line(s string) string { return chars.Short(chars.Line(chars.Title(s)), maxName) }

// named returns cuts with labels that are safe to show; never nil.
func named(cuts []ledger.NextCut) []ledger.NextCut {
	out := make([]ledger.NextCut, len(cuts))
	for i, c := range cuts {
		c.Label = line(c.Label)
		out[i] = c
	}
	return out
}
