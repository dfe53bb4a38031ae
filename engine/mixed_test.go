package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// worker is one caller of the mixed test with what was acknowledged to it.
type worker struct {
	n        int
	session  string            // its own conversation
	messages [][]byte          // of that, acknowledged
	notes    []string          // originals appended to the session that all share
	facts    []string          // memories saved
	arts     map[string]string // content by handle
}

// TestManyCallersAtOnce lets sixteen callers do everything at the same time, and looks at the whole
// afterwards: nothing acknowledged is missing, nothing is there twice, no number is left out.
func TestManyCallersAtOnce(t *testing.T) {
	const callers, rounds = 16, 12
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	workers := make([]*worker, callers)
	var running sync.WaitGroup
	for n := range callers {
		workers[n] = &worker{n: n, arts: map[string]string{}}
		running.Go(func() {
			for round := range rounds {
				if err := workers[n].round(t, l, round); err != nil {
					t.Errorf("caller %d, round %d: %v", n, round, err)
					return
				}
			}
		})
	}
	running.Wait()
	if t.Failed() {
		return
	}
	check := func(l *engine.Local) {
		t.Helper()
		var seq int64
		for page := (ledger.WaitEventsRequest{Limit: 1000}); ; {
			resp := events(t, l, page)
			for _, e := range resp.Events {
				if seq++; e.Seq != seq {
					t.Fatalf("event %d after %d", e.Seq, seq-1)
				}
			}
			if len(resp.Events) == 0 {
				break
			}
			page.After = resp.Next
		}
		for _, w := range workers {
			w.check(t, l)
		}
		checkShared(t, l, workers)
	}
	check(l)
	views := map[string][][]byte{}
	for _, w := range workers {
		views[w.session] = render(t, l, w.session)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, _ = openIn(t, state, "/w")
	check(l)
	for id, view := range views {
		wantView(t, l, id, view)
	}
}

// round does one thing of each kind.
func (w *worker) round(t *testing.T, l *engine.Local, round int) error {
	ctx := t.Context()
	turn := [][]byte{
		raw(`{"role":"user","content":"caller %d, request %d: %s"}`, w.n, round,
			strings.Repeat("look at the loader ", 40)),
		raw(`{"role":"assistant","content":"caller %d, answer %d: %s"}`, w.n, round,
			strings.Repeat("the loader reads lines ", 400)),
	}
	resp, err := l.AppendMessages(ctx, ledger.AppendMessagesRequest{
		Mutation: ledger.Mutation{Key: fmt.Sprint("m-", w.n, "-", round)}, Format: transcript.Anthropic,
		Messages: append(w.messages[:len(w.messages):len(w.messages)], turn...),
	})
	if err != nil {
		return err
	}
	w.session, w.messages = resp.Session, append(w.messages, turn...)

	note := fmt.Sprintf(`{"caller":%d,"round":%d}`, w.n, round)
	if err := appendShared(t, l, fmt.Sprint("import-", w.n), int64(round), note); err != nil {
		return err
	}
	w.notes = append(w.notes, note)

	name := fmt.Sprintf("fact-%d-%d", w.n, round)
	if _, err := l.SaveMemory(ctx, fact("f-"+name, name)); err != nil {
		return err
	}
	w.facts = append(w.facts, name)

	content := fmt.Sprintf("artifact of round %d", round) // all callers put the same
	ref, err := l.PutBlob(ctx, strings.NewReader(content))
	if err != nil {
		return err
	}
	a, err := l.PutArtifact(ctx, ledger.PutArtifactRequest{Blob: ref.Hash, Ref: artifactRef(w.session)})
	if err != nil {
		return err
	}
	w.arts[a.ID] = content
	if round%4 == 3 {
		p, err := ledger.Compact(ctx, l,
			ledger.PlanCompactionRequest{Session: w.session, Options: compaction.Options{Keep: 1}}, "", false)
		if err != nil || p.Outcome != compaction.Compacted {
			return fmt.Errorf("compaction: %s %w", p.Outcome, err)
		}
		if _, err := l.Restore(ctx, ledger.RestoreRequest{ID: p.Summary.ID}); err != nil {
			return err
		}
	}
	if _, err := l.Status(ctx, ledger.StatusRequest{Session: w.session}); err != nil {
		return err
	}
	_, err = l.WaitEvents(ctx, ledger.WaitEventsRequest{After: int64(round)})
	return err
}

// appendShared appends a note to the session that all callers share.
func appendShared(t *testing.T, l *engine.Local, imp string, offset int64, note string) error {
	_, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: imp, Session: sessions.Session{Host: "h", HostID: "shared"}, Offset: offset, Next: offset + 1,
		Done:    true,
		Entries: []sessions.NewEntry{{Kind: sessions.KindNote, Time: start, Original: []byte(note)}},
	})
	return err
}

// check looks at what one caller has made.
func (w *worker) check(t *testing.T, l *engine.Local) {
	t.Helper()
	views(t, l, w.session, w.messages)
	for i, e := range log(t, l, w.session) {
		if e.Seq != int64(i+1) {
			t.Fatalf("entry %d at place %d of session %s", e.Seq, i+1, w.session)
		}
	}
	for _, name := range w.facts {
		if m, err := l.Memory(t.Context(), ledger.MemoryRequest{Name: name}); err != nil || m.Body != "body of "+name {
			t.Errorf("memory %s: %+v, %v", name, m, err)
		}
	}
	for id, content := range w.arts {
		if got := readHandle(t, l, id); got != content {
			t.Errorf("artifact %s: %q", id, got)
		}
	}
}

// checkShared looks at the session that all callers appended to: each note once, in each caller's
// order, and every id that of its chain.
func checkShared(t *testing.T, l *engine.Local, workers []*worker) {
	t.Helper()
	s, err := l.Session(t.Context(), ledger.SessionRequest{Name: "shared"})
	if err != nil {
		t.Fatal(err)
	}
	next := make([]int, len(workers))
	total := 0
	text := originals(t, l, s.ID, 0, 0)
	entries := log(t, l, s.ID)
	chain := ""
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		var note struct{ Caller, Round int }
		if err := json.Unmarshal(line, &note); err != nil {
			t.Fatal(err)
		}
		if next[note.Caller] != note.Round || workers[note.Caller].notes[note.Round] != string(line) {
			t.Fatalf("%s where round %d is due", line, next[note.Caller])
		}
		next[note.Caller]++
		chain = sessions.MessageID(chain, sessions.Digest(line))
		if e := entries[total]; e.ID != chain || e.Seq != int64(total+1) {
			t.Fatalf("entry %d has id %s, want %s", e.Seq, e.ID, chain)
		}
		total++
	}
	if want := len(workers) * len(workers[0].notes); total != want {
		t.Errorf("%d notes, want %d", total, want)
	}
}

// TestForgettingBesidePutting: a client that puts content while it is forgotten has it, or gets an error that it is
// gone.
func TestForgettingBesidePutting(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	for i := range cases.Some(100) {
		text := fmt.Sprint("content ", i)
		id := put(t, l, text, "").ID
		var running sync.WaitGroup
		running.Go(func() {
			if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: id}); err != nil {
				t.Error(err)
			}
		})
		for range 3 {
			running.Go(func() {
				ref, err := l.PutBlob(t.Context(), strings.NewReader(text))
				if err == nil {
					_, err = l.PutArtifact(t.Context(), ledger.PutArtifactRequest{Blob: ref.Hash})
				}
				if err != nil && !fault.Is(err, fault.NotFound) {
					t.Error(err)
				}
			})
		}
		running.Wait()
		checkReadable(t, l, id)
	}
}

// checkReadable fails when an artifact is neither readable nor forgotten.
func checkReadable(t *testing.T, l *engine.Local, id string) {
	t.Helper()
	a, err := l.Artifact(t.Context(), ledger.ArtifactRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: id})
	if a.Forgotten == nil && err != nil || a.Forgotten != nil && !fault.Is(err, fault.NotFound) {
		t.Errorf("forgotten: %v; reading: %.40q, %v", a.Forgotten, page.Text, err)
	}
}

// TestForgettingBesideAppending: content that is forgotten while others bring it back is either gone
// or readable, never named and missing.
func TestForgettingBesideAppending(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	text := strings.Repeat("the same output\n", 4000)
	id := put(t, l, text, "").ID
	var running sync.WaitGroup
	for n := range 4 {
		running.Go(func() {
			for i := range 4 {
				call := fmt.Sprint("c", n, "-", i)
				_, err := l.AppendMessages(t.Context(),
					ledger.AppendMessagesRequest{Format: transcript.Anthropic, Messages: [][]byte{
						raw(`{"role":"user","content":%q}`, call),
						toolUse(call, "Bash", "{}"),
						raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]}`,
							call, text),
					}})
				if err != nil {
					t.Error(err)
				}
			}
		})
		running.Go(func() {
			for range 3 {
				if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: id}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	checkReadable(t, l, id)
	list, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
	if err != nil || list.Total != 16 {
		t.Fatalf("%d sessions, %v", list.Total, err)
	}
	for _, s := range list.Sessions {
		originals(t, l, s.ID, 0, 0)
		if err := transcript.Valid(transcript.Anthropic, render(t, l, s.ID)); err != nil {
			t.Error(err)
		}
	}
}
