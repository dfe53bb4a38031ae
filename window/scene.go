package window

import (
	"slices"
	"time"

	"ctxledger.dev/intents"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// scene is a view as the passes see it.
type scene struct {
	policy Policy
	State
	slots  []Slot
	drafts []*draft
	acts   []act // in the order of their calls
	edits  editSet
	used   int // o200k_base tokens of the view, the summary included
}

// act is a call of the view with its result.
type act struct {
	*sessions.Call
	entry  *sessions.Entry // that makes the call
	slot   int             // of the call
	result *sessions.Result
	answer *sessions.Entry // that carries the result
	unit   int             // counts messages that make calls, from 0
	// Tokens of what is shown of both now, and whether that was edited.
	argsTokens, resultTokens int
	argsEdited, resultEdited bool
}

// newScene computes the view of a log for the passes.
func newScene(in Input, policy Policy, state State) *scene {
	view, drafts := plan(in)
	s := &scene{policy: policy, State: state, slots: view.Slots, drafts: drafts, edits: newEditSet(in.Edits),
		used: state.Summary + view.Tokens}
	s.acts = make([]act, 0, len(drafts)/2)
	unit := 0
	for i, d := range drafts {
		if calls := d.openCalls(); len(calls) > 0 && d.note == nil {
			s.addUnit(i, unit)
			unit++
		}
	}
	return s
}

// addUnit adds the calls of one message, with what answers them in the next.
func (s *scene) addUnit(at, unit int) {
	var results map[string]answer
	if at+1 < len(s.drafts) && s.drafts[at+1].note == nil {
		results = s.drafts[at+1].answers()
	}
	for _, e := range s.drafts[at].entries {
		for i := range callsOf(e) {
			c := &e.Calls[i]
			if slices.Contains(s.drafts[at].drop, c.ID) {
				continue
			}
			came := results[c.ID]
			a := act{Call: c, entry: e, slot: at, unit: unit, result: came.result, answer: came.entry}
			s.look(&a)
			s.acts = append(s.acts, a)
		}
	}
}

// answer is a result with the entry that carries it.
type answer struct {
	result *sessions.Result
	entry  *sessions.Entry
}

// answers returns the results in a draft, by call; of several for one call the first.
func (d *draft) answers() map[string]answer {
	if !d.results {
		return nil
	}
	out := make(map[string]answer, len(d.entries))
	for _, e := range d.entries {
		for i := range resultsOf(e) {
			if r := &e.Results[i]; out[r.CallID].result == nil {
				out[r.CallID] = answer{r, e}
			}
		}
	}
	return out
}

// apply updates the view with edits of parts.
func (s *scene) apply(edits []Edit, slot func(Edit) int) {
	for _, e := range edits {
		s.edits[e.key()] = e
		s.slots[slot(e)].Tokens -= e.freed()
	}
	for i := range s.acts {
		s.look(&s.acts[i])
	}
}

// look updates what is shown of a call and its result.
func (s *scene) look(a *act) {
	a.argsTokens = a.Tokens
	if edit, edited := s.edits[editKey{a.entry.Seq, a.ID, PartArguments}]; edited {
		a.argsTokens, a.argsEdited = edit.Tokens, true
	}
	if a.result == nil {
		return
	}
	a.resultTokens = a.result.Tokens
	edit, edited := s.edits[editKey{a.answer.Seq, a.ID, PartResult}]
	switch {
	case edited:
		a.resultTokens, a.resultEdited = edit.Tokens, true
	case a.result.Artifact != "":
		a.resultTokens, a.resultEdited = a.result.StubTokens, true
	}
}

// done reports whether a call is known to have succeeded.
func (a *act) done() bool { return a.result != nil && !a.result.Failed }

// newest is the number of the last unit.
func (s *scene) newest() int {
	if len(s.acts) == 0 {
		return -1
	}
	return s.acts[len(s.acts)-1].unit
}

// hide proposes to replace the result of a call by a text.
func (s *scene) hide(a *act, text string) []Edit {
	return s.cut(a, Edit{Text: text})
}

// cut proposes that less is shown of the result of a call. What keeps a head or a tail is counted in
// proportion until it is measured.
func (s *scene) cut(a *act, e Edit) []Edit {
	e.Seq, e.Call, e.Part, e.Before = a.answer.Seq, a.ID, PartResult, a.resultTokens
	e.Tokens = textTokens(e.Text)
	if keep := e.Head + e.Tail; keep > 0 {
		e.Tokens += a.result.Tokens * min(keep, a.result.Chars) / max(a.result.Chars, 1)
	}
	return smaller(e)
}

// rewrite proposes other arguments for a call.
func (s *scene) rewrite(a *act, e Edit) []Edit {
	e.Seq, e.Call, e.Part, e.Before = a.entry.Seq, a.ID, PartArguments, a.argsTokens
	e.Tokens = textTokens(a.Name) + textTokens(e.Text) + e.Head/charsPerToken
	return smaller(e)
}

// charsPerToken is what a token of a tool's arguments has on average, for estimates.
const charsPerToken = 3

// smaller drops an edit that frees nothing.
func smaller(e Edit) []Edit {
	if e.freed() <= 0 {
		return nil
	}
	return []Edit{e}
}

// isRead, isWrite and the like say what a call does to the file that it names.
func (a *act) isRead() bool { return a.Op == intents.OpRead && a.Target != "" }
func (a *act) changes() bool {
	switch a.Op {
	case intents.OpWrite, intents.OpPatch, intents.OpDelete, intents.OpMove, intents.OpCopy:
		return a.Target != ""
	}
	return false
}

// sentSlots returns how many slots the provider has in its cache.
func (s *scene) sentSlots() int {
	if s.Cold {
		return 0
	}
	for i, slot := range slices.Backward(s.slots) {
		switch {
		case s.drafts[i].within(s.Sent):
			return i + 1
		case slot.Role == transcript.RoleAssistant:
			return i
		}
	}
	return 0
}

// within reports whether all of a draft was written until a time; false where either is not known.
func (d *draft) within(t time.Time) bool {
	return !slices.ContainsFunc(d.entries, func(e *sessions.Entry) bool { return e.Time.IsZero() || e.Time.After(t) })
}
