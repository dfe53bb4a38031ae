package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// planted is the text that tests forget: JSON writes it in several ways.
const planted = `tok"en/ümlaut-7731<x>`

// inJSON returns a text as JSON writes it inside a string.
func inJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b[1 : len(b)-1])
}

// plant records a session that holds a text in every place that a conversation has, and returns it.
// The messages that do not hold it are odd ones out: they have to survive.
func plant(t *testing.T, l *engine.Local, secret string) (session string, artifact string) {
	t.Helper()
	q := inJSON(secret)
	loud := strings.Repeat("a line of output that is long enough to count\n", 100)
	huge := strings.Repeat("one more line of a very long output\n", 2000) +
		secret + "\n" + strings.Repeat("the end of it\n", 50)
	messages := [][]byte{
		raw(`{"role":"user","content":"Deploy with %s please, as in the notes."}`, q),
		raw(`{"role":"assistant","content":[{"type":"text","text":"I use %s for that."},`+
			`{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"deploy --key '%s' && go test ./..."}}]}`,
			q, q),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":%q}]}`,
			"Exit code 1\nerror: bad key "+secret),
		toolUse("c2", "Write", `{"file_path":"/w/`+q+`.txt","content":"x"}`),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2",` +
			`"content":"File created successfully"}]}`),
		toolUse("c3", "Bash", `{"command":"show"}`),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c3","content":%s}]}`,
			quote(loud+loud+loud+loud+loud+loud+loud+secret)),
		toolUse("c4", "Bash", `{"command":"show --all"}`),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c4","content":%s}]}`, quote(huge)),
		toolUse("c5", "Read", `{"file_path":"/w/`+q+`.txt"}`),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c5","content":"nothing of interest"}]}`),
		raw(`{"role":"assistant","content":[{"type":"text","text":"The first deployment is finished."}]}`),
	}
	r := hand(t, l, ledger.AppendMessagesRequest{Mutation: ledger.Mutation{Key: "hand-in"},
		Messages: append(messages, long(40)...)})
	compact(t, l, r.Session, compaction.Options{Keep: 2, Notes: "The key is " + secret + ", never change it."})
	list, err := l.Artifacts(t.Context(), ledger.ArtifactsRequest{Session: r.Session})
	if err != nil || list.Total != 1 {
		t.Fatalf("%d artifacts, %v", list.Total, err)
	}
	for i, body := range []string{"old: " + secret, "new: " + secret} {
		_, err := l.SaveMemory(t.Context(), ledger.SaveMemoryRequest{
			Mutation: ledger.Mutation{Key: fmt.Sprint("memory ", i)},
			Entry: memory.Entry{Name: "About " + secret, Description: "what " + secret + " is", Body: body,
				Source: "user"},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put(t, l, "harmless content", "Title "+secret)
	put(t, l, "content with "+secret+" inside", "put by hand")
	if err := os.MkdirAll(filepath.Join(stateOf(t, l), "exports"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(stateOf(t, l), "exports", "changes.json"), []byte(`{"Entries":["`+q+`"]}`))
	return r.Session, list.Artifacts[0].ID
}

func quote(s string) string { return `"` + inJSON(s) + `"` }

// stateOf returns the state directory of a ledger.
func stateOf(t *testing.T, l *engine.Local) string {
	t.Helper()
	info, err := l.Info(t.Context(), ledger.InfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return info.State
}

// rawHits names the files below dir, other than blobs, that hold a text as it is or as JSON writes it.
// It is not the product's own search.
func rawHits(t *testing.T, dir, secret string) (hits []string) {
	t.Helper()
	inFiles(t)
	forms := [][]byte{[]byte(secret), []byte(inJSON(secret)), []byte(inJSON(inJSON(secret)))}
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
	forms = append(forms, []byte(plain.Replace(inJSON(secret))))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, form := range forms {
			if bytes.Contains(content, form) {
				hits = append(hits, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// TestForgottenIsReallyGoneFromTheFiles plants a text in every place that a ledger has, forgets it, and
// looks at the raw files; everything else is as it was.
func TestForgottenIsReallyGoneFromTheFiles(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	session, _ := plant(t, l, planted)
	before := log(t, l, session)
	texts := linesOf(originals(t, l, session, 0, 0))
	if len(rawHits(t, state, planted)) == 0 {
		t.Fatal("nothing is planted")
	}
	dry, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: planted, DryRun: true})
	if err != nil || !dry.DryRun || len(rawHits(t, state, planted)) == 0 {
		t.Fatalf("the dry run: %+v, %v", dry, err)
	}
	f, err := l.Forget(t.Context(), ledger.ForgetRequest{Mutation: ledger.Mutation{Key: "f"}, Text: planted})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Left) != 0 || f.Searched == 0 {
		t.Errorf("left: %+v", f)
	}
	for _, kind := range []string{"message", "artifact", "summary", "memory"} {
		if count(f, kind) != count(dry, kind) {
			t.Errorf("%s: %d were announced, %d forgotten", kind, count(dry, kind), count(f, kind))
		}
	}
	if hits := rawHits(t, state, planted); hits != nil {
		t.Errorf("still in %s", hits)
	}
	for kind, n := range map[string]int{"message": 7, "artifact": 2, "summary": 1, "memory": 1, "memory version": 1} {
		if count(f, kind) != n {
			t.Errorf("%d of kind %s, want %d: %+v", count(f, kind), kind, n, f.Counts)
		}
	}
	unharmed(t, l, session, before, texts, planted)
	again, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: planted})
	if err != nil || len(again.Counts) != 0 {
		t.Errorf("forgetting it again: %+v, %v", again, err)
	}
	same, err := l.Forget(t.Context(), ledger.ForgetRequest{Mutation: ledger.Mutation{Key: "f"}, Text: planted})
	if err != nil || len(same.Counts) != len(f.Counts) {
		t.Errorf("the same request: %+v, %v", same, err)
	}
}

// linesOf returns the lines of a text.
func linesOf(b []byte) [][]byte { return bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")) }

// unharmed checks that a session lost exactly what held the text: every other original is as it was,
// byte for byte, every handle resolves or says that it was forgotten, and its view is valid.
func unharmed(t *testing.T, l *engine.Local, session string, before []sessions.Entry, texts [][]byte, secret string) {
	t.Helper()
	after, now := log(t, l, session), linesOf(originals(t, l, session, 0, 0))
	if len(after) != len(before) || len(now) != len(texts) {
		t.Fatalf("%d entries and %d originals, there were %d and %d", len(after), len(now), len(before), len(texts))
	}
	form := []byte(inJSON(secret))
	kept := 0
	for i, text := range texts {
		switch held := bytes.Contains(text, form) ||
			bytes.Contains(text, []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(form)))); {
		case held && !bytes.Contains(now[i], []byte("forgotten on ")):
			t.Errorf("original %d still reads %.200s", i, now[i])
		case !held && !bytes.Equal(now[i], text):
			t.Errorf("original %d was\n%.300s\nand is\n%.300s", i, text, now[i])
		case !held:
			kept++
		}
	}
	if kept == 0 {
		t.Error("nothing survived")
	}
	for i, e := range after {
		if e.ID != before[i].ID || e.Seq != before[i].Seq || e.Turn != before[i].Turn {
			t.Errorf("entry %d became %d, %s", before[i].Seq, e.Seq, e.ID)
		}
		if e.ID == "" {
			continue
		}
		_, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: e.ID})
		if gone := e.Forgotten != nil; gone != (err != nil) || gone &&
			!(fault.Is(err, fault.NotFound) && strings.Contains(err.Error(), "forgotten on 2026-11-20")) {
			t.Errorf("handle %s: %v", e.ID, err)
		}
	}
	view := render(t, l, session)
	if err := transcript.Valid(transcript.Anthropic, view); err != nil {
		t.Error(err)
	}
	if bytes.Contains(bytes.Join(view, nil), form) {
		t.Error("the view shows it")
	}
}

// What a plan has read is not kept for the next one when it is forgotten in between.
func TestAPlanHasNoForgottenWords(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	session, _ := plant(t, l, planted)
	o := compaction.Options{Whole: true}
	if p := plan(t, l, session, o); !strings.Contains(p.Summary.Text, planted) {
		t.Fatalf("the plan does not have it at first:\n%s", p.Summary.Text)
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: planted}); err != nil {
		t.Fatal(err)
	}
	if p := plan(t, l, session, o); strings.Contains(p.Summary.Text, planted) {
		t.Errorf("the next plan has it still:\n%s", p.Summary.Text)
	}
}

// TestInvariant2AForgottenTextLeavesTombstones: handles of what held the text say so, those of the rest
// resolve, and a host that hands the compacted view back is still understood.
func TestInvariant2AForgottenTextLeavesTombstones(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	session, artifact := plant(t, l, planted)
	sent := render(t, l, session)
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: planted}); err != nil {
		t.Fatal(err)
	}
	_, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: artifact})
	if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "forgotten on 2026-11-20") {
		t.Errorf("the artifact: %v", err)
	}
	for _, view := range [][][]byte{sent, nil} {
		if view == nil {
			view = render(t, l, session)
		}
		r := hand(t, l, ledger.AppendMessagesRequest{Messages: append(view, say("And then?")...)})
		if r.Session != session || r.Added != 1 {
			t.Errorf("handed back: %+v", r)
		}
	}
	sums, err := l.Summaries(t.Context(), ledger.SummariesRequest{Session: session})
	if err != nil || len(sums.Summaries) != 1 {
		t.Fatal(err)
	}
	sum, err := l.Summary(t.Context(), ledger.SummaryRequest{ID: sums.Summaries[0].ID})
	if err != nil || strings.Contains(sum.Text, planted) || !strings.Contains(sum.Text, "[forgotten on 2026-11-20]") {
		t.Errorf("the summary: %.500s, %v", sum.Text, err)
	}
	if p := compact(t, l, session, compaction.Options{Keep: 1}); p.Outcome != compaction.Compacted &&
		p.Outcome != compaction.NothingToDo {
		t.Errorf("compacting again: %s", p.Outcome)
	}
	kept, err := l.Memories(t.Context(), ledger.MemoriesRequest{Body: true})
	if err != nil || len(kept.Entries) != 1 || kept.Entries[0].Body != "new: [forgotten on 2026-11-20]" ||
		kept.Entries[0].Name != "About [forgotten on 2026-11-20]" {
		t.Errorf("memory: %+v, %v", kept.Entries, err)
	}
	if _, err := l.Memory(t.Context(), ledger.MemoryRequest{Name: kept.Entries[0].Name}); err != nil {
		t.Errorf("by its new name: %v", err)
	}
	for _, path := range []string{planted + ".txt", "[forgotten on 2026-11-20].txt"} {
		h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: path})
		if found := strings.HasPrefix(path, "["); err != nil || (len(h.Intents) > 0) != found ||
			(len(h.Changes) > 0) != found || (len(h.Reads) > 0) != found {
			t.Errorf("history of %s: %+v, %v", path, h, err)
		}
	}
}

// TestAMemoryOfNothingButAForgottenTextIsDeleted: else every new session would be given a memory that says nothing. One that
// says something else stays, and the plan says where the text was found.
func TestAMemoryOfNothingButAForgottenTextIsDeleted(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	for _, c := range []struct{ name, about, body, found string }{
		{"the whole body", "", " - " + planted + ".\n", "found in its body"},
		{"all of both", planted, planted, "found in its body, description"},
		{"part of the body", "", "the key: " + planted, "found in its body"},
		{"the description", planted, "another fact", "found in its description"},
		{"a name " + planted, "", "a third fact", "found in its name"},
	} {
		_, err := l.SaveMemory(t.Context(), ledger.SaveMemoryRequest{
			Entry: memory.Entry{Name: c.name, Description: c.about, Body: c.body}})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: planted, DryRun: true})
		if err != nil || !slices.ContainsFunc(plan.Items, func(i ledger.ForgottenItem) bool {
			return i.Kind == "memory" && i.Handle == strings.ReplaceAll(c.name, planted, "[…]") && i.Title == c.found
		}) {
			t.Errorf("%s: %+v, %v", c.name, plan.Items, err)
		}
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: planted}); err != nil {
		t.Fatal(err)
	}
	kept, err := l.Memories(t.Context(), ledger.MemoriesRequest{})
	var left []string
	for _, e := range kept.Entries {
		left = append(left, e.Name)
	}
	if got := strings.Join(left, ", "); err != nil ||
		got != "a name [forgotten on 2026-11-20], part of the body, the description" {
		t.Errorf("left: %s, %v", got, err)
	}
	_, err = l.Memory(t.Context(), ledger.MemoryRequest{Name: "all of both"})
	if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "deleted on 2026-11-20") {
		t.Errorf("the deleted one: %v", err)
	}
}
