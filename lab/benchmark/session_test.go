package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// line is what the test reads of a line of a generated session.
type line struct {
	UUID    string  `json:"uuid"`
	Parent  *string `json:"parentUuid"`
	Session string  `json:"sessionId"`
	Time    string  `json:"timestamp"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

func TestARepeatedSessionIsOneConversationWithFreshIdentifiers(t *testing.T) {
	recorded, err := os.ReadFile("../../" + recording)
	if err != nil {
		t.Fatal(err)
	}
	const session = "00000000-1111-4222-8333-444444444444"
	path := filepath.Join(t.TempDir(), "s.jsonl")
	g, err := repeat(recorded, path, session, int64(len(recorded))*3/2)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || int64(len(raw)) != g.bytes || bytes.Count(raw, []byte("\n")) != g.lines || g.lines != 2*bytes.Count(recorded, []byte("\n")) {
		t.Fatalf("%d bytes, %v; reported %+v", len(raw), err, g)
	}
	seen, calls, roots := map[string]bool{}, map[string]int{}, 0
	results := map[string]bool{}
	for text := range bytes.Lines(raw) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatal(err)
		}
		if l.Session != "" && l.Session != session {
			t.Fatalf("session %s", l.Session)
		}
		if l.UUID == "" && l.Time != "" { // identified by its bytes
			if seen[string(text)] {
				t.Fatalf("there twice: %s", text)
			}
			seen[string(text)] = true
		}
		if l.UUID != "" {
			switch {
			case seen[l.UUID]:
				t.Fatalf("%s is there twice", l.UUID)
			case l.Parent == nil:
				roots++
			case !seen[*l.Parent]:
				t.Fatalf("%s follows %s, which is not there", l.UUID, *l.Parent)
			}
			seen[l.UUID] = true
		}
		pair(t, l, calls, results)
	}
	if roots != 1 {
		t.Errorf("%d conversations", roots)
	}
	for id, n := range calls {
		if n != 2 {
			t.Errorf("call %s is named by %d blocks, not by itself and its result", id, n)
		}
	}
}

// pair counts the blocks that name a call, and wants long results to differ between rounds.
func pair(t *testing.T, l line, calls map[string]int, results map[string]bool) {
	t.Helper()
	var blocks []struct {
		ID      string `json:"id"`
		Call    string `json:"tool_use_id"`
		Content any    `json:"content"`
	}
	if json.Unmarshal(l.Message.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		for _, id := range []string{b.ID, b.Call} {
			if id != "" {
				calls[id]++
			}
		}
		if text, ok := b.Content.(string); ok && len(text) > 70_600 && len(text) < 72_000 { // one of its size in the recording
			if results[text] {
				t.Error("a long result is there twice")
			}
			results[text] = true
		}
	}
}
