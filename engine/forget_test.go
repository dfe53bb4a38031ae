package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// secretResult is a conversation whose third message is a result that becomes an artifact: a
// command that prints secrets, and fails.
func secretResult(call, secret string) [][]byte {
	text := "Exit code 1\n" + strings.Repeat("error: "+secret+" leaked\n", 4000)
	return [][]byte{
		raw(`{"role":"user","content":"Print it as %s."}`, call),
		raw(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"print"}}]}`,
			call),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":%q}]}`, call,
			text),
		raw(`{"role":"assistant","content":"Printed."}`),
	}
}

// only returns the one artifact of a session.
func only(t *testing.T, l *engine.Local, session string) artifacts.Artifact {
	t.Helper()
	list, err := l.Artifacts(t.Context(), ledger.ArtifactsRequest{Session: session})
	if err != nil || list.Total != 1 {
		t.Fatalf("%d artifacts, %v", list.Total, err)
	}
	return list.Artifacts[0]
}

// blobs returns the names of the blob files in a state directory.
func blobs(t *testing.T, state string) map[string]bool {
	t.Helper()
	inFiles(t)
	names, err := filepath.Glob(filepath.Join(state, "blobs", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, n := range names {
		found[filepath.Base(n)] = true
	}
	return found
}

// count returns how many things of a kind were forgotten.
func count(f ledger.Forgotten, kind string) int {
	for _, c := range f.Counts {
		if c.Kind == kind {
			return c.N
		}
	}
	return 0
}

// artifact returns an artifact's record.
func artifact(t *testing.T, l *engine.Local, id string) artifacts.Artifact {
	t.Helper()
	a, err := l.Artifact(t.Context(), ledger.ArtifactRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestForgettingAnArtifactRemovesItEverywhere(t *testing.T) {
	const secret = "hunter2hunter2"
	state := t.TempDir()
	l, c := openIn(t, state, "/w")
	// Twenty sessions hold it: more than an artifact remembers places.
	var ids []string
	for i := range 20 {
		ids = append(ids, hand(t, l, ledger.AppendMessagesRequest{Messages: secretResult("call-"+string(rune('a'+i)),
			secret)}).Session)
	}
	a := only(t, l, ids[0])
	if !strings.Contains(readHandle(t, l, a.ID), secret) {
		t.Fatal("the artifact does not hold the secret")
	}
	shared := blobs(t, state)
	f, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: a.ID})
	if err != nil || count(f, "artifact") != 1 || count(f, "message") != 20 || len(f.Sessions) != 20 {
		t.Fatalf("%+v, %v", f, err)
	}
	gone := artifact(t, l, a.ID)
	if left := blobs(t, state); len(left) != 0 {
		t.Errorf("%d of %d blobs are left", len(left), len(shared))
	}
	for _, id := range ids {
		view := render(t, l, id)
		if err := transcript.Valid(transcript.Anthropic, view); err != nil {
			t.Fatal(err)
		}
		all := bytes.Join(view, nil)
		if bytes.Contains(all, []byte(secret)) || !bytes.Contains(all, []byte("forgotten")) {
			t.Fatalf("the view of %s: %.500s", id, all)
		}
		if text := originals(t, l, id, 0, 0); bytes.Contains(text, []byte(secret)) ||
			!bytes.Contains(text, []byte("[forgotten on 2026-11-20 on request]")) {
			t.Fatalf("the originals of %s: %.500s", id, text)
		}
		for _, e := range log(t, l, id) {
			if bytes.Contains(asJSON(t, e), []byte(secret)) {
				t.Fatalf("entry %d of %s still names it", e.Seq, id)
			}
		}
		if st := status(t, l, id); st.Used.N == 0 {
			t.Errorf("status of %s: %+v", id, st)
		}
	}
	_, err = l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: a.ID})
	if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "forgotten on 2026-11-20") {
		t.Errorf("reading it: %v", err)
	}
	message := log(t, l, ids[0])[2].ID
	_, err = l.ReadBlob(t.Context(), ledger.ReadBlobRequest{Handle: message})
	if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "forgotten on 2026-11-20") {
		t.Errorf("reading its message: %v", err)
	}
	c.now = c.now.AddDate(0, 0, 3)
	if again, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: a.ID}); err != nil || len(again.Counts) != 0 ||
		!artifact(t, l, a.ID).Forgotten.Equal(*gone.Forgotten) {
		t.Errorf("forgetting it again: %+v, %v", again, err)
	}
}

func TestForgettingKeepsWhatOtherRecordsName(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	messages := secretResult("call", "shared")
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	a := only(t, l, id)
	// The whole message is an artifact of its own: its bytes are the same blob as the entry's original.
	ref, err := l.PutBlob(t.Context(), bytes.NewReader(messages[2]))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := l.PutArtifact(t.Context(), ledger.PutArtifactRequest{Blob: ref.Hash, Title: "kept"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: a.ID}); err != nil {
		t.Fatal(err)
	}
	if got := readHandle(t, l, kept.ID); got != string(messages[2]) {
		t.Errorf("the other artifact reads %.100q", got)
	}
	if left := blobs(t, state); len(left) != 1 || !left[ref.Hash] {
		t.Errorf("blobs left: %v", left)
	}
	// The other way round: an entry names what an artifact was.
	other := hand(t, l, ledger.AppendMessagesRequest{Messages: say(strings.Repeat("a long request ", 5000))}).Session
	e := log(t, l, other)[0]
	same, err := l.PutArtifact(t.Context(), ledger.PutArtifactRequest{Blob: e.Blob})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: same.ID}); err != nil {
		t.Fatal(err)
	}
	if got := render(t, l, other); !bytes.Contains(got[0], []byte("a long request")) {
		t.Errorf("the message is gone: %.100s", got[0])
	}
}

func TestForgottenContentThatComesBackIsReadable(t *testing.T) {
	l := open(t)
	first := hand(t, l, ledger.AppendMessagesRequest{Messages: secretResult("one", "again")}).Session
	a := only(t, l, first)
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: a.ID}); err != nil {
		t.Fatal(err)
	}
	hand(t, l, ledger.AppendMessagesRequest{Messages: secretResult("two", "again")})
	if got := readHandle(t, l, a.ID); !strings.Contains(got, "again leaked") {
		t.Errorf("%.100q", got)
	}
	if all := bytes.Join(render(t, l, first), nil); bytes.Contains(all, []byte("again leaked")) {
		t.Error("the first session shows it again")
	}
}

// TestADeletionThatWasCutOffIsMadeGood: the records say that the content is forgotten, and the owner
// died before it deleted the blobs.
func TestADeletionThatWasCutOffIsMadeGood(t *testing.T) {
	inFiles(t)
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: secretResult("call", "x")}).Session
	a := only(t, l, id)
	// A directory in the place of the blob's file cannot be removed as a file.
	name := filepath.Join(state, "blobs", a.Hash[:2], a.Hash)
	whole := readFile(t, name)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(name, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := ledger.ForgetRequest{Mutation: ledger.Mutation{Key: "k"}, Handle: a.ID}
	if _, err := l.Forget(t.Context(), r); err == nil {
		t.Fatal("a deletion that failed was not reported")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
	writeFile(t, name, whole)
	l, _ = openIn(t, state, "/w")
	if left := blobs(t, state); len(left) != 0 {
		t.Errorf("blobs left after opening: %v", left)
	}
	if again, err := l.Forget(t.Context(), r); err != nil || artifact(t, l, a.ID).Forgotten == nil {
		t.Errorf("the same request: %+v, %v", again, err)
	}
}

func TestCompactionAfterForgetting(t *testing.T) {
	l := open(t)
	messages := append(secretResult("call", "hunter2hunter2"), long(30)...)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	a := only(t, l, id)
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: a.ID}); err != nil {
		t.Fatal(err)
	}
	p := compact(t, l, id, compaction.Options{Keep: 2})
	if p.Outcome != compaction.Compacted || strings.Contains(p.Summary.Text, "hunter2") {
		t.Fatalf("%s: %.2000s", p.Outcome, p.Summary.Text)
	}
	if got := readHandle(t, l, p.Summary.ID); strings.Contains(got, "hunter2") ||
		!strings.Contains(got, "forgotten on") {
		t.Errorf("the range: %.1000s", got)
	}
}

// A conversation too long for a frame travels as a blob. It must not stay behind, on success or not: it
// would grow with every call and hold what was forgotten. What something else names stays.
func TestABlobThatOnlyCarriedMessagesIsUsedUp(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/home/dev/shop")
	put := func(text string) string {
		t.Helper()
		ref, err := l.PutBlob(t.Context(), strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return ref.Hash
	}
	whole := `[{"role":"user","content":"hello"}]`
	for _, text := range []string{whole, `[{"role":"robot","content":"x"}]`, "no JSON"} {
		_, err := l.AppendMessages(t.Context(),
			ledger.AppendMessagesRequest{Format: transcript.Anthropic, Blob: put(text)})
		if (err == nil) != (text == whole) {
			t.Errorf("%s: %v", text, err)
		}
		if left := blobs(t, state); len(left) != 0 {
			t.Errorf("%s: %d blobs are left", text, len(left))
		}
	}
	hash := put(whole)
	if _, err := l.PutArtifact(t.Context(),
		ledger.PutArtifactRequest{Blob: hash, Title: "the same bytes"}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.AppendMessages(t.Context(),
		ledger.AppendMessagesRequest{Format: transcript.Anthropic, Blob: hash}); err != nil {
		t.Fatal(err)
	}
	if !blobs(t, state)[hash] {
		t.Error("the blob of an artifact was deleted")
	}
}
