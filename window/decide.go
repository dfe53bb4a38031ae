package window

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"ctxledger.dev/tokens"
)

// State is what a decision depends on besides the log and the policy.
type State struct {
	Session string // id of the session in its ledger, for handles; "": there is no ledger
	Window  int    // of the model, in tokens; 0: unknown
	Summary int    // o200k_base tokens of the summary that the view starts with
	// Fixed is what every request carries besides the view (system prompt, tools, memory), in tokens of the model:
	// it takes its share of the window as well.
	Fixed int
	// Count converts o200k_base tokens into tokens of the model, which budgets are in. nil: they are the same.
	Count func(o200k int) tokens.Count
	// Shown is Count in the measure of what is shown of the view, for words. nil: Count.
	Shown func(o200k int) tokens.Count
	// Becomes is what a view of a size becomes with edits, in that measure. nil: Count.
	Becomes func(o200k int, edits []Edit) tokens.Count
	Rates   Rates
	// Sent is when the newest request was sent, if that is known: the provider has all that was written until then.
	Sent time.Time
	// Cold is set if the provider's cache has nothing of the view, so that no edit invalidates it.
	Cold bool
	// Ahead is how many more requests will carry the content of the view: see CallsAhead.
	Ahead int
	// Reason, if set, forces a step, whether it pays or not.
	Reason string
	// ExitCode returns that of a command, by the id of its call, if it is known. nil: none is.
	ExitCode func(call string) (code int, known bool)
	// Changed returns the newest entry of the log by which a command is known to have changed a file, 0 for none.
	// nil: none is known.
	Changed func(path string) int64
	// Within reports whether the lines of one result are among those of another. nil: that is not known of any.
	Within func(part, whole Printed) bool
}

func (st State) count(o200k int) int { return st.counted(o200k).N }

func (st State) counted(o200k int) tokens.Count {
	if st.Count == nil {
		return tokens.Count{N: o200k, Exact: true, Upper: o200k}
	}
	return st.Count(o200k)
}

// shown says a size in words.
func (st State) shown(o200k int) string {
	if st.Shown != nil {
		return st.Shown(o200k).String()
	}
	return st.counted(o200k).String()
}

// steps says in words from what size to what size a decision takes the view.
func (st State) steps(d Decision) (from, to string) {
	if st.Becomes != nil {
		return st.Becomes(d.Before, nil).String(), st.Becomes(d.Before, d.Edits).String()
	}
	return st.shown(d.Before), st.shown(d.After)
}

// Request returns what a request takes with so many o200k_base tokens of view.
func (st State) Request(o200k int) int { return st.Fixed + st.counted(o200k).N }

// Most is the upper bound of Request.
func (st State) Most(o200k int) int { return st.Fixed + st.counted(o200k).Upper }

// Decision is a step of edits: what later views show less of.
type Decision struct {
	Edits  []Edit `json:"edits,omitempty"`
	Reason string `json:"reason,omitempty"` // "birth", "pays", "asked", "threshold", or that of State; "" for no step
	Why    string `json:"why"`              // in words, for every decision
	Before int    `json:"before"`           // o200k_base tokens of the view
	After  int    `json:"after"`
	// Rewritten is how much of the provider's cache has to be written again.
	Rewritten int `json:"rewritten"`
	// Over is set if the view is still larger than the threshold: a compaction is due.
	Over      bool `json:"over"`
	Threshold int  `json:"threshold"` // tokens of the model
	// Waiting is what the passes propose and what does not pay yet, in tokens.
	Waiting int `json:"waiting"`
	// ClearsAt is the size of a request in tokens above which old results would be cleared, if it is above that and
	// clearing does not pay yet; 0 otherwise.
	ClearsAt int `json:"clears_at,omitempty"`
}

// Decide returns the edits to make now: the next step of a view. It has no effects; the recorded edits come back to it in
// Input.Edits. Same input, same decision.
func Decide(in Input, p Policy, st State) Decision {
	s := newScene(in, p, st)
	first := *s
	d := Decision{Before: s.used, Threshold: p.Compact.Threshold(st.Window)}
	now, later := s.run(in)
	d.Reason = st.Reason
	if d.Reason == "" && s.Most(d.Before-freedBy(now)) > p.Compact.Limit(st.Window) {
		d.Reason = "threshold"
	}
	if d.Reason != "" {
		now, later = append(now, later...), nil
	} else {
		var worth []Edit
		later, worth = first.costs(now).worthIt(later)
		now = append(now, worth...)
		d.Reason = p.reasonOf(now, worth)
	}
	if d.Edits = settled(now, later); len(d.Edits) == 0 {
		d.Reason = ""
	}
	d.After, d.Waiting = d.Before-freedBy(d.Edits), freedBy(later)
	if slices.ContainsFunc(later, func(e Edit) bool { return e.Pass == clearing }) {
		d.ClearsAt = p.ClearAbove(st.Window)
	}
	d.Rewritten = first.costs(nil).broken(d.Edits)
	d.Over = s.Request(d.After) > d.Threshold
	d.Why = d.NextStep(st)
	return d
}

// run runs the passes in order, each with the proposals of those before it applied. now are the edits that cost
// nothing or were asked for, later those that have to pay.
func (s *scene) run(in Input) (now, later []Edit) {
	seen := s.costs(nil) // the view as the provider has it
	left := seen         // and as the edits leave it
	whole := s.used
	s.slots, s.edits = slices.Clone(s.slots), maps.Clone(s.edits) // the caller's stay as they are
	for i := 0; i < len(passes); {
		asked := passes[i].asked(s.policy)
		var proposed []Edit
		if proposed, i = s.proposals(i); len(proposed) == 0 {
			continue
		}
		for _, e := range proposed {
			if asked || seen.slot(e) >= seen.sent {
				now = append(now, e)
			} else {
				later = append(later, e)
			}
		}
		in.Edits = slices.Concat(in.Edits, proposed)
		if asked { // it may have collapsed messages
			*s = *newScene(in, s.policy, s.State)
			left = s.costs(nil)
		} else {
			s.apply(proposed, left.slot)
		}
		s.used = whole - freedBy(now) // shares of the window refer to what will be sent
	}
	return now, later
}

// freedBy sums what edits take out of a view.
func freedBy(edits []Edit) int {
	n := 0
	for _, e := range edits {
		n += e.freed()
	}
	return n
}

// settled returns the accepted edits: one for each key, that of the last pass, with the size before all of them.
// waiting are the rejected proposals, on which others may have been based.
func settled(taken, waiting []Edit) []Edit {
	if len(taken) == 0 {
		return nil
	}
	rank := make(map[string]int, len(passes))
	for i, p := range passes {
		rank[p.name] = i
	}
	out, first := make([]Edit, 0, len(taken)), make([]int, 0, len(taken)) // and the rank of the first pass for each key
	at := make(map[editKey]int, len(taken))
	for _, e := range taken {
		i, again := at[e.key()]
		if !again {
			at[e.key()] = len(out)
			out, first = append(out, e), append(first, rank[e.Pass])
			continue
		}
		stood := out[i].Before
		if rank[e.Pass] < first[i] {
			stood, first[i] = e.Before, rank[e.Pass]
		}
		if rank[e.Pass] >= rank[out[i].Pass] {
			out[i] = e
		}
		out[i].Before = stood
	}
	for _, e := range waiting {
		if i, again := at[e.key()]; again && rank[e.Pass] < first[i] {
			out[i].Before, first[i] = e.Before, rank[e.Pass]
		}
	}
	return out
}

// reasonOf names the reason of a step, from all accepted edits and those of them that pay.
func (p Policy) reasonOf(taken, worth []Edit) string {
	switch {
	case len(taken) == 0:
		return ""
	case len(worth) > 0:
		return "pays"
	case slices.ContainsFunc(taken, p.askedFor):
		return "asked"
	}
	return "birth"
}

// NextStep says what is cut now, or why nothing is.
func (d Decision) NextStep(st State) string {
	from, to := st.steps(d)
	cuts := fmt.Sprintf("cuts the view from %s to %s tokens", from, to)
	switch {
	case len(d.Edits) == 0 && d.Waiting > 0:
		return fmt.Sprintf("%s tokens could be cut, but rewriting the provider's cache would cost more than the "+
			"next %d requests would save", st.shown(d.Waiting), st.Ahead)
	case len(d.Edits) == 0:
		return "nothing to cut before a compaction"
	case st.Cold:
		return cuts + " at no cost: the provider's cache has probably expired"
	case d.Rewritten == 0:
		return cuts + " at no cost: the provider's cache does not have them yet"
	}
	return cuts + "; " + st.shown(d.Rewritten) + " have to be written to the provider's cache again"
}

// Waits says that old results would be cleared at the size of the request, and why they are not yet; "" otherwise. limit
// returns ClearsAt in the measure of what is shown.
func (d Decision) Waits(limit func(estimate int) int) string {
	if d.ClearsAt == 0 {
		return ""
	}
	return "would clear at " + inMeasure(d.ClearsAt, limit) + "; not worth it yet"
}

// CallsAhead estimates how many more requests will carry the content of the view. It is a third of those made: of
// things that have lasted for some time, three in four last at least a third of it longer (J. R. Gott,
// "Implications of the Copernican principle for our future prospects", Nature 363, 1993). The estimate is bounded,
// also by the number of requests until the next compaction: size is what the requests made the view grow to; left
// is by how much it may still grow, both in tokens.
func CallsAhead(made, size, left int) int {
	const least, most = 3, 60
	ahead := made / 3
	if size > 0 {
		ahead = min(ahead, int(int64(made)*int64(max(left, 0))/int64(size)))
	}
	return min(max(ahead, least), most)
}

// byOrder sorts edits by the slot that they change.
func byOrder(edits []Edit, slot func(Edit) int) []Edit {
	return slices.SortedStableFunc(slices.Values(edits), func(a, b Edit) int { return cmp.Compare(slot(a), slot(b)) })
}
