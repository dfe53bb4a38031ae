package compaction

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
)

const rulesHead = "[REFUSED BY THE USER — not to be repeated]"

// addRefusals adds what the user did not let the agent do, a line for each call that was refused, however often.
func addRefusals(s *source, d *layout.Document) {
	b := d.Block(&layout.Block{Head: rulesHead})
	for _, again := range s.in.talk.refusals() {
		r := again[0]
		when := layout.Turn(r.turn) + layout.Comma(layout.Times(len(again)))
		text := "  - " + layout.OneLine(r.what, 200) + " (" + when + ")"
		var whys []string
		for _, x := range slices.Backward(again) {
			if x.why != "" && !x.rule {
				whys = append(whys, "\""+layout.OneLine(x.why, 600)+"\"")
			}
		}
		switch {
		case r.rule:
			text += " — by a rule in the user's settings"
		case len(whys) > 0:
			text += " — " + strings.Join(slices.Compact(whys), ", then ")
		}
		if turn := appliedAfter(s.in, r); turn > 0 {
			text += "; another edit to it was applied afterward (" + layout.Turn(turn) + ")"
		}
		d.Add(b, &layout.Line{Text: text, Class: layout.ClassRule, Pos: r.pos})
	}
}

// refusals returns what the user refused, the same calls together, newest first: what he gave a reason for before the
// rest, and within that the newest first.
func (d *dialogue) refusals() [][]refusal {
	var out [][]refusal
	at := make(map[string]int) // by call
	for _, r := range slices.Backward(d.refused) {
		i, known := at[r.what]
		if !known {
			i = len(out)
			at[r.what] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	explained := func(again []refusal) bool {
		return slices.ContainsFunc(again, func(r refusal) bool { return r.why != "" })
	}
	slices.SortStableFunc(out, func(a, b []refusal) int {
		switch {
		case explained(a) == explained(b):
			return 0
		case explained(a):
			return -1
		}
		return 1
	})
	return out
}

// appliedAfter returns the turn in which the file of a refused edit was changed by another one later; 0: it was not.
func appliedAfter(in *Input, r refusal) int {
	if r.file == "" {
		return 0
	}
	for _, op := range slices.Backward(in.Operations) {
		if op.Seq > r.pos && op.Status == intents.Applied && op.Target == r.file {
			return op.Turn
		}
	}
	return 0
}
