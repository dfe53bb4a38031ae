package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// TestAFileThatACommandPrintsWasRead: Codex reads files by commands such as cat. What one prints is the file's: in the
// window, in the history of the file, and among what the session has read. What prints several files is nobody's.
func TestAFileThatACommandPrintsWasRead(t *testing.T) {
	l := open(t)
	add := func(raw string) sessions.NewEntry {
		return sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.OpenAIResponses, Original: []byte(raw)}
	}
	entries := []sessions.NewEntry{
		add(`{"type":"message","role":"user","content":[{"type":"input_text","text":"Look."}]}`)}
	// Codex says in the result that a command failed: then it read nothing.
	exit := []string{`Chunk ID: 1ea56d\nWall time: 0.0000 seconds\nProcess exited with code 0\nOutput:\n`,
		`Chunk ID: 1ea56d\nWall time: 0.0000 seconds\nProcess exited with code 1\nOutput:\n`}
	for i, args := range []string{`{"cmd":"cat a.md"}`, `{"cmd":"sed -n 1,40p ./b.md","workdir":"docs"}`,
		`{"cmd":"cat c.md d.md"}`, `{"cmd":"cat gone.md"}`} {
		entries = append(entries,
			add(fmt.Sprintf(`{"type":"function_call","name":"exec_command","call_id":"c%d","arguments":%q}`, i, args)),
			add(fmt.Sprintf(`{"type":"function_call_output","call_id":"c%d","output":"%s%s"}`, i, exit[i/3],
				strings.Repeat("word ", 500))))
	}
	r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "i", Next: 1, Done: true,
		Session: sessions.Session{Host: "codex", HostID: "h"}, Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: r.Session})
	if err != nil {
		t.Fatal(err)
	}
	st := status(t, l, r.Session)
	files := slices.DeleteFunc(st.OwnSources, func(s ledger.Source) bool { return s.Kind != ledger.SourceFile })
	if len(files) != 2 || len(c.Reads) != 2 {
		t.Fatalf("the sources are %+v, it has read %+v", files, c.Reads)
	}
	for i, name := range []string{"a.md", "docs/b.md"} {
		h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: name})
		at := slices.IndexFunc(files, func(s ledger.Source) bool { return s.Name == name })
		if err != nil || at < 0 || len(h.Reads) != 1 || files[at].Tokens.N < 500 || c.Reads[i].Path != name ||
			c.Reads[i].Held != h.Reads[0].Took || st.Scale.Total(h.Reads[0].Took) != files[at].Tokens {
			t.Errorf("%s: the sources are %+v, the history %+v, it has read %+v, %v", name, files, h.Reads, c.Reads, err)
		}
	}
}
