package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// queued is a record about a message that the user sends while the agent works; text is empty but for added ones.
func queued(q sessions.Queue, text string) sessions.NewEntry {
	e := sessions.NewEntry{Kind: sessions.KindNote, Queue: q, Original: []byte(`{"operation":"x"}`)}
	if text != "" {
		content, _ := json.Marshal(text)
		e.Original = slices.Concat([]byte(`{"content":`), content, []byte("}"))
		e.Message, e.Format = transcript.Span{From: 11, To: 11 + len(content)}, transcript.Anthropic
	}
	return e
}

// What the user says while the agent works is in notes of its host. What the agent got of it is in the document; what
// went back to the user is not, and what began a turn is there once.
func TestWhatTheUserSaysWhileTheAgentWorks(t *testing.T) {
	l := open(t)
	talk := talkOf(4, 4_000)
	entries := []sessions.NewEntry{message(talk[0]), message(talk[1]),
		queued(sessions.QueueAdded, "Never amend commits."),
		queued(sessions.QueueAdded, "Taken back before the agent saw it."),
		queued(sessions.QueueGiven, ""),
		queued(sessions.QueueReturned, ""),
		queued(sessions.QueueAdded, "A turn of its own."),
		queued(sessions.QueueLeft, ""),
		message([]byte(`{"role":"user","content":"A turn of its own."}`)),
		queued(sessions.QueueAdded, "Still waiting."),
		queued(sessions.QueueGiven, ""),
		queued(sessions.QueueGiven, ""), // nothing waits
		queued(sessions.QueueSent, "And push nothing."),
		queued(sessions.QueueSent, "Nor tag anything."),
	}
	shown := &entries[len(entries)-1] // the host shows it to the model, and views do
	shown.Kind, shown.Loaded = sessions.KindMessage, true
	for _, raw := range talk[2:] {
		entries = append(entries, message(raw))
	}
	entries = append(entries, queued(sessions.QueueAdded, "Not sent yet."))
	r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "i", Next: 1, Done: true,
		Session: sessions.Session{Host: "claude-code", HostID: "h"}, Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	read, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: log(t, l, r.Session)[2].Handle()})
	if err != nil || string(read.Text) != "Never amend commits." {
		t.Errorf("the handle reads %q, %v", read.Text, err)
	}
	p := compact(t, l, r.Session, compaction.Options{Mode: compaction.Intent, Budget: 2_000, Keep: 1})
	for text, want := range map[string]int{"while the agent worked) Never amend commits.": 1, "Taken back": 0,
		"A turn of its own.": 1, "while the agent worked) Still waiting.": 1, "Not sent yet.": 0,
		"while the agent worked) And push nothing.": 1, "Nor tag anything.": 1,
		"while the agent worked) Nor tag anything.": 1} {
		if n := strings.Count(p.Summary.Text, text); n != want {
			t.Errorf("%q occurs %d times, not %d, in:\n%s", text, n, want, p.Summary.Text)
		}
	}
}
