package engine_test

import (
	"bytes"
	"fmt"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

func TestImportKeepsEveryByte(t *testing.T) {
	l := open(t)
	id := shop(t, l)
	if got, want := originals(t, l, id, 0, 0), readFile(t, shopFile); !bytes.Equal(got, want) {
		t.Fatalf("the ledger returns %d bytes of the session file's %d, or others", len(got), len(want))
	}
}

func TestImportTwiceAddsNothing(t *testing.T) {
	l := open(t)
	id := shop(t, l)
	before := log(t, l, id)
	if again := shop(t, l); again != id {
		t.Fatalf("the second import made session %s beside %s", again, id)
	}
	if after := log(t, l, id); len(after) != len(before) {
		t.Fatalf("%d entries after the second import, %d before", len(after), len(before))
	}
}

func TestImportExtractsWhatTheAgentDid(t *testing.T) {
	l := open(t)
	id := shop(t, l)
	calls, prompts, failed := map[string]int{}, 0, 0
	for _, e := range log(t, l, id) {
		if e.Prompt {
			prompts++
		}
		for _, c := range e.Calls {
			calls[c.Name]++
		}
		for _, r := range e.Results {
			if r.Failed {
				failed++
			}
		}
	}
	// The figures of testdata/sessions/README.md, which a test there compares with the file.
	for name, want := range map[string]int{"Bash": 81, "Edit": 47, "Read": 40, "Write": 19} {
		if calls[name] != want {
			t.Errorf("%d calls of %s, want %d", calls[name], name, want)
		}
	}
	if prompts != 7 || failed != 29 {
		t.Errorf("%d prompts and %d failed results, want 7 and 29", prompts, failed)
	}
}

func TestChangesAndIntentsComeFromTheTranscript(t *testing.T) {
	l := open(t)
	shop(t, l)
	h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: "catalog/load.go"})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Reads) == 0 || len(h.Changes) != 3 {
		t.Fatalf("%d reads and %d changes of catalog/load.go, want some and 3", len(h.Reads), len(h.Changes))
	}
	failed := 0
	for _, in := range h.Intents {
		if in.Status == intents.Failed {
			failed++
		}
		if in.Status == intents.Pending {
			t.Errorf("intent %s is pending though its result is recorded", in.ID)
		}
	}
	if failed != 1 {
		t.Errorf("%d failed edits, want the 1 whose old text was not found", failed)
	}
	for _, r := range h.Reads {
		if r.Tokens == 0 {
			t.Errorf("the read in entry %d has no size", r.Seq)
		}
	}
}

func TestAppendEntriesRefusesAnotherOffset(t *testing.T) {
	l := open(t)
	r := ledger.AppendEntriesRequest{
		Import: "x", Session: sessions.Session{Host: "claude-code", HostID: "h"}, Next: 10,
		Entries: []sessions.NewEntry{{Kind: sessions.KindNote, Original: []byte("{}")}},
	}
	if _, err := l.AppendEntries(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	_, err := l.AppendEntries(t.Context(), r)
	wantCode(t, err, fault.Conflict)
	st, err := l.ImportState(t.Context(), ledger.ImportStateRequest{Import: "x"})
	if err != nil || st.Offset != 10 {
		t.Fatalf("import stands at %d (%v), want 10", st.Offset, err)
	}
}

func TestAnUnfinishedImportIsNotListed(t *testing.T) {
	l := open(t)
	r := ledger.AppendEntriesRequest{
		Import: "x", Session: sessions.Session{Host: "claude-code", HostID: "h"}, Next: 2,
		Entries: []sessions.NewEntry{{Kind: sessions.KindNote, Original: []byte("{}")}},
	}
	list := func() int {
		t.Helper()
		resp, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Total
	}
	if _, err := l.AppendEntries(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if n := list(); n != 0 {
		t.Fatalf("%d sessions are listed while the import is under way", n)
	}
	r.Offset, r.Next, r.Done = 2, 4, true
	if _, err := l.AppendEntries(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if n := list(); n != 1 {
		t.Fatalf("%d sessions are listed after the import", n)
	}
}

func TestImportInManySmallStepsEqualsOne(t *testing.T) {
	volume(t)
	l, whole := open(t), open(t)
	raw := readFile(t, shopFile)
	name := t.TempDir() + "/shop.jsonl"
	var id string
	for end := 40_000; ; end += 40_000 {
		writeFile(t, name, raw[:min(end, len(raw))])
		r, err := agents.Import(t.Context(), l, agents.Source{Path: name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if id = r.Session; end >= len(raw) {
			break
		}
	}
	other := shop(t, whole)
	got, want := log(t, l, id), log(t, whole, other)
	if len(got) != len(want) {
		t.Fatalf("%d entries in steps, %d at once", len(got), len(want))
	}
	for i := range got {
		if got[i].ID != want[i].ID || got[i].Tokens != want[i].Tokens || got[i].Turn != want[i].Turn {
			t.Fatalf("entry %d differs: %+v and %+v", i+1, got[i], want[i])
		}
	}
}

// TestABatchSentAgain: the newest batches of an import have their answers, whatever came after them;
// older ones are refused, and none is applied twice.
func TestABatchSentAgain(t *testing.T) {
	l := open(t)
	const batches = 12
	send := func(i int) (ledger.AppendEntriesResponse, error) {
		return l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
			Mutation: ledger.Mutation{Key: fmt.Sprint("key ", i)}, Import: "x",
			Session: sessions.Session{Host: "claude-code", HostID: "h"},
			Offset:  int64(i), Next: int64(i + 1),
			Entries: []sessions.NewEntry{{Kind: sessions.KindNote, Original: []byte("{}")}},
		})
	}
	var first [batches]ledger.AppendEntriesResponse
	for i := range batches {
		var err error
		if first[i], err = send(i); err != nil {
			t.Fatal(err)
		}
	}
	for i := range batches {
		again, err := send(i)
		if i < batches-4 {
			wantCode(t, err, fault.Conflict)
		} else if err != nil || again != first[i] {
			t.Errorf("batch %d again: %+v, %v; first %+v", i, again, err, first[i])
		}
	}
	if s, err := l.Session(t.Context(), ledger.SessionRequest{Name: first[0].Session}); err != nil || s.Seq != batches {
		t.Errorf("the session has %d entries (%v), want %d", s.Seq, err, batches)
	}
}
