package core

import (
	"encoding/json"
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// EditStep is the payload of a KindEdits entry: what was decided once about the view.
type EditStep struct {
	Reason string        `json:"reason"`
	Before int           `json:"tokens_before"` // of the whole view, o200k_base
	After  int           `json:"tokens_after"`
	Edits  []window.Edit `json:"edits"`
	Agent  string        `json:"agent,omitempty"` // whose views they are for; "": of all
	// Summary is the compaction that took the step along: it goes with it.
	Summary string `json:"summary,omitempty"`
}

// steps folds the edits of a session's log.
type steps struct {
	made []EditStep
}

// add takes an entry into account. Taking a compaction back takes back what it took along.
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

// Edits returns the edits that hold for the reader of a view, in the order in which they were made.
func (f *Folded) Edits() (all []window.Edit) {
	for _, made := range f.made {
		if made.Agent == "" || strings.EqualFold(made.Agent, f.Agent) {
			all = append(all, made.Edits...)
		}
	}
	return all
}
