package core

import (
	"encoding/json"
	"slices"

	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// EditStep is the payload of a KindEdits entry: edits of a view that were decided together.
type EditStep struct {
	Reason string        `json:"reason"`
	Before int           `json:"tokens_before"` // of the whole view, o200k_base
	After  int           `json:"tokens_after"`
	Edits  []window.Edit `json:"edits"`
	Agent  string        `json:"agent,omitempty"` // whose views they are for; "": of all
	// Summary is the compaction that included the step: restoring it undoes the step.
	Summary string `json:"summary,omitempty"`
}

// steps folds the edits of a session's log.
type steps struct {
	made []EditStep
}

// add folds one more entry. Restoring a compaction undoes the steps that it included.
func (s *steps) add(e *sessions.Entry) error {
	switch e.Kind {
	case sessions.KindEdits:
		var made EditStep
		if err := json.Unmarshal(e.Data, &made); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.edits", err)
		}
		s.made = append(s.made, made)
	case sessions.KindRestore:
		var r Restored
		if err := json.Unmarshal(e.Data, &r); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.edits", err)
		}
		s.made = slices.DeleteFunc(slices.Clone(s.made), func(made EditStep) bool { return made.Summary == r.ID })
	}
	return nil
}

// Edits returns the edits that apply to the reader of the view, in order.
func (f *Folded) Edits() (all []window.Edit) {
	for _, made := range f.made {
		if made.Agent == "" || agentname.Same(made.Agent, f.Agent) {
			all = append(all, made.Edits...)
		}
	}
	return all
}

// EmptyStep returns the payload of an entry of kind KindEdits or KindDecision without its words and edits; word says why.
// What it edited is gone, too.
func EmptyStep(e sessions.Entry, word string) (json.RawMessage, error) {
	const op = "engine.forget"
	if e.Kind == sessions.KindDecision {
		data, err := json.Marshal(storedDecision{Event: word, Data: json.RawMessage("{}")})
		return data, fault.Wrap(fault.Internal, op, err)
	}
	var made EditStep
	if err := json.Unmarshal(e.Data, &made); err != nil {
		return nil, fault.Wrap(fault.Corrupt, op, err)
	}
	made.Reason, made.Agent, made.Edits = word, "", nil
	data, err := json.Marshal(made)
	return data, fault.Wrap(fault.Internal, op, err)
}
