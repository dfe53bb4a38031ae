package settings

import (
	"slices"
	"strings"
)

// Mode is a way to compact. Modes are known by their names without regard to case.
type Mode string

// The modes. To add one is to add its row to modes, and what plans it to the planners of package compaction.
const (
	Intent   Mode = "intent"   // an operation list and the document around it, without a model
	Window   Mode = "window"   // drop the oldest turns
	LLM      Mode = "llm"      // a model's summary, with what must not be left to a model
	Hybrid   Mode = "hybrid"   // the document of Intent, and a model's summary in it
	Lossless Mode = "lossless" // a mode of the design that this version refuses
)

// modes are the modes in the order in which they are offered; the first is the default.
var modes = []modeRow{
	{mode: Intent, says: "a summary made without a model"},
	{mode: Window, says: "drop oldest turns", view: true},
	{mode: LLM, says: "a model writes", share: 60},
	{mode: Hybrid, says: "a model writes", share: 40},
	{mode: Lossless, refused: "needs the evidence store, which this version does not have"},
}

// modeRow has the properties of a mode.
type modeRow struct {
	mode    Mode
	says    string // what it does, in a few words
	share   int    // of the budget that a model's words may have, in percent; 0: no model writes
	view    bool   // the budget bounds the whole view instead of the summary
	refused string // why it is not offered
}

// row returns the properties of a mode; none for one that is not known.
func (m Mode) row() (r modeRow) {
	for _, r := range modes {
		if strings.EqualFold(string(r.mode), string(m)) {
			return r
		}
	}
	return r
}

// Offered reports whether a mode can be asked for.
func (m Mode) Offered() bool { return m.row().mode != "" && m.Refused() == "" }

// Refused says why a known mode is not offered; "" if it is.
func (m Mode) Refused() string { return m.row().refused }

// Asks reports whether a mode has a model write.
func (m Mode) Asks() bool { return m.row().share > 0 }

// ModelShare is the part of the budget, in percent, that a model's words may have.
func (m Mode) ModelShare() int { return m.row().share }

// OfView reports whether the budget of a mode bounds the whole view instead of the summary.
func (m Mode) OfView() bool { return m.row().view }

// ModeNames returns the names of the modes that are offered; with asking only of those in which a model writes.
func ModeNames(asking bool) (names []string) {
	for _, r := range modes {
		if r.refused == "" && (!asking || r.share > 0) {
			names = append(names, string(r.mode))
		}
	}
	return names
}

// DescribeModes returns for the modes that are offered what describe makes of the names of those that do the same, and of
// what they do.
func DescribeModes(describe func(names []string, says string) string) (out []string) {
	rows := slices.DeleteFunc(slices.Clone(modes), func(r modeRow) bool { return r.refused != "" })
	for len(rows) > 0 {
		var names []string
		says := rows[0].says
		for len(rows) > 0 && rows[0].says == says {
			names, rows = append(names, string(rows[0].mode)), rows[1:]
		}
		out = append(out, describe(names, says))
	}
	return out
}
