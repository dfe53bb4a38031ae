package sessions

import (
	"encoding/json"
	"slices"

	"ctxledger.dev/internal/fault"
)

// NotesKind is what notes are. Kinds are stored: append only.
type NotesKind string

// The kinds of notes.
const (
	NotesPlain      NotesKind = ""           // for whoever goes on with the work
	NotesContext    NotesKind = "context"    // the session context, which replaces the one before it
	NotesAttempt    NotesKind = "attempt"    // something that was tried
	NotesHypothesis NotesKind = "hypothesis" // an assumption, and what became of it
	NotesHandoff    NotesKind = "handoff"    // what one agent hands to another
	NotesTaken      NotesKind = "taken"      // the handoff before it reached its agent
)

// The statuses of a hypothesis.
const (
	StatusOpen      = "open"
	StatusConfirmed = "confirmed"
	StatusRejected  = "rejected"
)

// Notes is the original of a KindNotes entry: what an agent noted for whoever goes on with its work.
type Notes struct {
	Text   string    `json:"notes"`
	Kind   NotesKind `json:"kind,omitempty"`
	Agent  string    `json:"agent,omitempty"`  // who wrote it
	To     string    `json:"to,omitempty"`     // of a handoff, and of its arrival
	ID     string    `json:"id,omitempty"`     // of a hypothesis: the newest notes with it count
	Status string    `json:"status,omitempty"` // of a hypothesis
	// Reason is why a hypothesis was rejected, and what an attempt led to.
	Reason string `json:"reason,omitempty"`
}

// Check returns the rule that notes break, nil for none. Their lengths are checked elsewhere.
func (n Notes) Check() error {
	const op = "sessions.notes"
	kinds := []NotesKind{NotesPlain, NotesContext, NotesAttempt, NotesHypothesis, NotesHandoff, NotesTaken}
	status := []string{StatusOpen, StatusConfirmed, StatusRejected}
	switch {
	case !slices.Contains(kinds, n.Kind):
		return fault.New(fault.Invalid, op, "unknown kind of notes %.100q", n.Kind)
	case n.Kind == NotesHypothesis && (n.ID == "" || !slices.Contains(status, n.Status)):
		return fault.New(fault.Invalid, op, "a hypothesis needs an id and one of the statuses open, confirmed, rejected")
	}
	return nil
}

// Bytes returns the original.
func (n Notes) Bytes() ([]byte, error) { return json.Marshal(n) }

// NotesOf returns the notes of a KindNotes entry, the zero value if they were forgotten.
func NotesOf(original []byte) (n Notes) {
	if json.Unmarshal(original, &n) != nil {
		return Notes{}
	}
	return n
}
