package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

func writeFile(t *testing.T, name string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(name, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestInvariant3ViewsOfARealSessionAreValid(t *testing.T) {
	l := open(t)
	id := shop(t, l)
	if err := transcript.Valid(transcript.Anthropic, render(t, l, id)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		compact(t, l, id, compaction.Options{Keep: 1})
		if err := transcript.Valid(transcript.Anthropic, render(t, l, id)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInvariant4RequestsArePrefixesOfLaterOnes follows the recorded session as it grew. Each time
// the agent is about to answer, its request is what precedes; it must be a byte prefix of
// every later request.
func TestInvariant4RequestsArePrefixesOfLaterOnes(t *testing.T) {
	volume(t)
	l := open(t)
	name := t.TempDir() + "/shop.jsonl"
	var before [][]byte
	checked := 0
	for _, end := range requests(readFile(t, shopFile)) {
		writeFile(t, name, readFile(t, shopFile)[:end])
		r, err := agents.Import(t.Context(), l, agents.Source{Path: name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		now := render(t, l, r.Session)
		for i, m := range before {
			if i >= len(now) || !bytes.Equal(m, now[i]) {
				t.Fatalf("message %d of the request at byte %d changed later:\n%.300s\n%.300s", i+1, end, m, now[i])
			}
		}
		before = now
		checked++
	}
	if checked < 20 {
		t.Fatalf("only %d requests were checked", checked)
	}
}

// requests returns the offsets in a session file right before a new answer of the model begins,
// every eighth of them: enough to see every kind of step.
func requests(raw []byte) []int {
	var ends []int
	last, n, at := "", 0, 0
	for line := range bytes.Lines(raw) {
		if i := bytes.Index(line, []byte(`"id":"msg_`)); i >= 0 && bytes.Contains(line, []byte(`"type":"assistant"`)) {
			id := string(line[i : i+30])
			if id != last {
				if n++; n%8 == 0 {
					ends = append(ends, at)
				}
				last = id
			}
		}
		at += len(line)
	}
	return ends
}

func TestLargeResultsStandAsStubsInTheView(t *testing.T) {
	l := open(t)
	id := shop(t, l)
	list, err := l.Artifacts(t.Context(), ledger.ArtifactsRequest{Session: id})
	if err != nil || list.Total < 2 {
		t.Fatalf("%d artifacts (%v), want at least 2", list.Total, err)
	}
	all := string(bytes.Join(render(t, l, id), nil))
	for _, a := range list.Artifacts {
		if !strings.Contains(all, a.ID) {
			t.Errorf("no stub in the view names artifact %s", a.ID)
		}
	}
	if n := len(all); n > 500_000 {
		t.Errorf("the view has %d bytes: the large results still stand in it", n)
	}
}

func TestInvariant2EveryHandleReadsBackTheOriginal(t *testing.T) {
	l := open(t)
	id := shop(t, l)
	texts := resultTexts(t, l, id)
	for _, e := range log(t, l, id) {
		for _, r := range e.Results {
			if r.Artifact == "" {
				continue
			}
			if got := readHandle(t, l, r.Artifact); got != texts[r.CallID] {
				t.Errorf("artifact %s differs from the result of call %s", r.Artifact, r.CallID)
			}
		}
	}
	p := compact(t, l, id, compaction.Options{})
	if got := readHandle(t, l, p.Summary.ID); got != string(originals(t, l, id, p.Summary.From, p.Summary.To)) {
		t.Error("the handle of the summary does not return its range")
	}
	if len(p.Summary.Cut) == 0 {
		t.Fatal("the compaction cut nothing")
	}
	for _, c := range p.Summary.Cut {
		if got := readHandle(t, l, c.Handle); got == "" {
			t.Errorf("handle %s of %s is empty", c.Handle, c.Label)
		}
	}
}

// resultTexts returns the text of every result of a session by its call.
func resultTexts(t *testing.T, l *engine.Local, id string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	file := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(file, originals(t, l, id, 0, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, e := range readWhole(t, file).Entries {
		if e.Kind != sessions.KindMessage {
			continue
		}
		m, err := transcript.Decode(e.Format, transcript.MessageIn(e.Format, e.Original, e.Message))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Parts {
			if p.Kind == transcript.KindResult {
				texts[p.ID] = p.Text
			}
		}
	}
	return texts
}

// readHandle returns everything that a handle names.
func readHandle(t *testing.T, l *engine.Local, handle string) string {
	t.Helper()
	rc, err := l.ReadBlob(t.Context(), ledger.ReadBlobRequest{Handle: handle})
	if err != nil {
		t.Fatalf("handle %s: %v", handle, err)
	}
	defer rc.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(rc); err != nil {
		t.Fatalf("handle %s: %v", handle, err)
	}
	return b.String()
}
