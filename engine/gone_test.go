package engine_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// canary is a word that nothing else has.
const canary = "qzxv-canary-8812"

// nowhere fails when a file below a directory has a word. Tests look in the raw bytes: that a face does not show it says
// nothing of freed pages.
func nowhere(t *testing.T, dir, word string) {
	t.Helper()
	if hits := rawHits(t, dir, word); hits != nil {
		t.Errorf("%q is in %v", word, hits)
	}
}

// TestAForgottenMemoryIsInNoStoredAnswer: its body was in the answers to repeated requests for a day, also after gc, and in
// freed pages; in the ledger of the workspace and in that of the user.
func TestAForgottenMemoryIsInNoStoredAnswer(t *testing.T) {
	for scope, root := range map[memory.Scope]string{memory.Project: "/w", memory.User: ""} {
		t.Run(string(scope), func(t *testing.T) {
			state := t.TempDir()
			l, _ := openIn(t, state, root)
			save := func(key, body string) ledger.SaveMemoryRequest {
				return ledger.SaveMemoryRequest{Mutation: ledger.Mutation{Key: key}, Entry: memory.Entry{Scope: scope,
					Name: canary + " name", Description: canary + " what it is", Body: canary + body, Source: "user"}}
			}
			for i, body := range []string{" first", " second"} {
				if _, err := l.SaveMemory(t.Context(), save(fmt.Sprint("s", i), body)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := l.RestoreMemory(t.Context(), ledger.RestoreMemoryRequest{Mutation: ledger.Mutation{Key: "r"},
				Name: canary + " name"}); err != nil {
				t.Fatal(err)
			}
			forget := ledger.ForgetRequest{Mutation: ledger.Mutation{Key: "d"}, Memory: canary + " name"}
			if _, err := l.Forget(t.Context(), forget); err != nil {
				t.Error(err)
			}
			nowhere(t, state, canary)
			_, err := l.SaveMemory(t.Context(), save("s0", " first"))
			if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "its answer was forgotten") {
				t.Errorf("the request that saved it: %v", err)
			}
			wantCode(t, second(l.Forget(t.Context(), ledger.ForgetRequest{Memory: "none"})),
				fault.NotFound)
		})
	}
}

func second[T any](_ T, err error) error { return err }

// named records a session whose calls have a canary in every word that they consist of.
func named(t *testing.T, l *engine.Local, call string) string {
	t.Helper()
	big := strings.Repeat("one more line of output\n", 3000)
	return hand(t, l, ledger.AppendMessagesRequest{Mutation: ledger.Mutation{Key: "hand " + call}, Messages: [][]byte{
		raw(`{"role":"user","content":"Do it."}`),
		toolUse(call, "Bash", `{"command":"echo `+canary+` `+call+`"}`),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%s}]}`, call, quote(call+big)),
		toolUse(call+"w", "Write", `{"file_path":"/w/`+canary+call+`.txt","content":"x"}`),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"File created"}]}`, call+"w"),
		toolUse(call+"m", "mcp__"+canary+"__ask", `{"q":"`+canary+`"}`),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"Yes"}]}`, call+"m"),
		raw(`{"role":"assistant","content":"Done."}`),
	}}).Session
}

// sighted hands in that a file was seen.
func sighted(t *testing.T, l *engine.Local, path string, size int64) []changes.Change {
	t.Helper()
	at := time.Date(2026, 11, 20, 13, 0, int(size), 0, time.UTC)
	r, err := l.RecordStates(t.Context(), ledger.RecordStatesRequest{Started: at, States: []ledger.Observation{{
		State: changes.State{Path: path, Exists: true, Size: size, Modified: at}, Seen: at.Add(time.Minute)}}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Changes
}

// TestAForgottenSessionLeavesNoNamesOfItsCalls: `artifact ls` printed the command of a forgotten call, and intents, files
// and events named its tools and files.
func TestAForgottenSessionLeavesNoNamesOfItsCalls(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	session := named(t, l, "c1")
	sighted(t, l, canary+"c1.txt", 1)
	sighted(t, l, canary+"c1.txt", 2)
	if f, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: session}); err != nil || count(f, "message") == 0 {
		t.Fatalf("%+v, %v", f, err)
	}
	a := only(t, l, session)
	if a.Forgotten == nil || a.Tool+a.Hint+a.Title != "" {
		t.Errorf("its artifact: %+v", a)
	}
	sighted(t, l, canary+"c1.txt", 3) // the observer still has it in its list
	nowhere(t, state, canary)
	// Another session that touches the file makes it known again.
	hand(t, l, ledger.AppendMessagesRequest{Messages: [][]byte{raw(`{"role":"user","content":"Again."}`),
		toolUse("n", "Write", `{"file_path":"/w/`+canary+`c1.txt","content":"x"}`),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"n","content":"File created"}]}`)}})
	sighted(t, l, canary+"c1.txt", 4)
	if sighted(t, l, canary+"c1.txt", 5) == nil {
		t.Error("the file is not observed again")
	}
}

// TestAForgottenCallIsNamedByNoOtherRecord: the label of its result's artifact, the stub and the changes of files had its
// words, while the answer said that they were gone from the disk.
func TestAForgottenCallIsNamedByNoOtherRecord(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	for _, keep := range []bool{true, false} { // whether the session has another call about the file
		session := named(t, l, fmt.Sprint("call-", keep))
		file := canary + fmt.Sprint("call-", keep) + ".txt"
		sighted(t, l, file, 1)
		sighted(t, l, file, 2)
		if keep {
			hand(t, l, ledger.AppendMessagesRequest{Session: session, Since: true, Messages: [][]byte{
				raw(`{"role":"user","content":"Read it."}`), toolUse("kept", "Read", `{"file_path":"/w/`+file+`"}`)}})
		}
		before := len(changesOf(t, l, file))
		for _, e := range log(t, l, session) {
			if len(e.Calls) == 1 && e.Calls[0].ID != "kept" {
				if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: e.ID}); err != nil {
					t.Fatal(err)
				}
			}
		}
		a := only(t, l, session)
		if a.Forgotten != nil || a.Tool+a.Hint != "" || !strings.Contains(readHandle(t, l, a.ID), "one more line") {
			t.Errorf("the result: %+v", a)
		}
		left := len(changesOf(t, l, file))
		if before == 0 || keep && left >= before || !keep && left > 0 {
			t.Errorf("another call about the file: %v; %d of %d changes name it", keep, left, before)
		}
		if !keep {
			nowhere(t, state, file)
			continue
		}
		if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: session}); err != nil {
			t.Fatal(err)
		}
	}
	nowhere(t, state, canary)
}

// changesOf returns the recorded changes of a file.
func changesOf(t *testing.T, l *engine.Local, file string) []changes.Change {
	t.Helper()
	c, err := l.Changes(t.Context(), ledger.ChangesRequest{Path: file})
	if err != nil {
		t.Fatal(err)
	}
	return c.Changes
}

// TestAnExpiredSessionLeavesNoNamesOfItsCalls: expiry is the same as forgetting.
func TestAnExpiredSessionLeavesNoNamesOfItsCalls(t *testing.T) {
	state := t.TempDir()
	l, c := openIn(t, state, "/w")
	session := named(t, l, "c1")
	c.now = c.now.Add(48 * time.Hour)
	hand(t, l, ledger.AppendMessagesRequest{Messages: say("Something else.", "Fine.")})
	r := retain(t, l, ledger.RetainRequest{Set: &ledger.RetentionPolicy{OlderThan: 3600}, Apply: true})
	if len(r.Due) != 1 || r.Due[0].ID != session {
		t.Fatalf("%+v", r)
	}
	nowhere(t, state, canary)
}

// TestWhatTwoSessionsShareLosesTheWordsOfTheForgottenOne and is kept for the other.
func TestWhatTwoSessionsShareLosesTheWordsOfTheForgottenOne(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	text := quote(strings.Repeat("one more line of output\n", 3000))
	conversation := func(call, command string) string {
		return hand(t, l, ledger.AppendMessagesRequest{Messages: [][]byte{
			raw(`{"role":"user","content":%q}`, "Do it as "+call), toolUse(call, "Bash", `{"command":"`+command+`"}`),
			raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%s}]}`, call, text)}}).Session
	}
	gone, kept := conversation("c1", "echo "+canary), conversation("c2", "show")
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: gone}); err != nil {
		t.Fatal(err)
	}
	if a := only(t, l, kept); a.Forgotten != nil || len(a.Refs) != 1 {
		t.Errorf("the artifact of the other: %+v", a)
	}
	nowhere(t, state, canary)
}

// TestAForgottenFileIsNotObservedAgain: the observer wrote its name back within a second.
func TestAForgottenFileIsNotObservedAgain(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	named(t, l, "c1")
	sighted(t, l, canary+"c1.txt", 1)
	before, err := ledger.Erased(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: canary}); err != nil {
		t.Fatal(err)
	}
	if got := sighted(t, l, canary+"c1.txt", 2); len(got) > 0 {
		t.Errorf("observed: %+v", got)
	}
	nowhere(t, state, canary)
	touched, err := l.Touched(t.Context(), ledger.TouchedRequest{})
	if err != nil || len(touched.Files) != 0 || touched.Erased != before+1 {
		t.Errorf("%+v, %v", touched, err)
	}
}

// TestARewrittenSourceBringsNoBlobBack: a large result came back as a blob that nothing references.
func TestARewrittenSourceBringsNoBlobBack(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	src := &source{t: t, l: l}
	result := saidAt("user", "u2", "", 2)
	result.Original = raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":%s}]}`,
		quote(strings.Repeat(canary+"\n", 4000)))
	call := saidAt("assistant", "a1", "", 1)
	call.Original = toolUse("c1", "Bash", `{"command":"show"}`)
	long := saidAt("user", "u3", "", 3)
	ref, err := l.PutBlob(t.Context(), bytes.NewReader(raw(`{"role":"user","content":%q}`,
		strings.Repeat("x", 300_000))))
	if err != nil {
		t.Fatal(err)
	}
	long.Original, long.Blob = nil, ref.Hash
	session := src.read(saidAt("user", "u1", "Show it.", 0), call, result, long)
	if len(blobs(t, state)) != 3 {
		t.Fatalf("blobs: %v", blobs(t, state))
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: session}); err != nil {
		t.Fatal(err)
	}
	if left := blobs(t, state); len(left) > 0 {
		t.Errorf("after forgetting: %v", left)
	}
	src.rewritten()
	if _, err = l.PutBlob(t.Context(), bytes.NewReader(raw(`{"role":"user","content":%q}`,
		strings.Repeat("x", 300_000)))); err != nil {
		t.Fatal(err)
	}
	src.read(saidAt("user", "u1", "Show it.", 0), call, result, long, saidAt("assistant", "a9", "More.", 9))
	if left := blobs(t, state); len(left) > 0 {
		t.Errorf("after the file was read again: %v", left)
	}
}

// TestForgettingAThingNamesWhatItCannotReach: only forgetting a text did.
func TestForgettingAThingNamesWhatItCannotReach(t *testing.T) {
	state, top := t.TempDir(), t.TempDir()
	l, _ := openIn(t, state, "/home/dev/shop")
	session := shop(t, l)
	away := filepath.Join(top, "usb", "b.tar.0123abcd.partial") // on a disk that is not connected
	if _, err := temporary.Note(state, away, env.System()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.SaveMemory(t.Context(),
		ledger.SaveMemoryRequest{Entry: memory.Entry{Name: "fact", Description: "of it", Body: "b"}}); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]ledger.ForgetRequest{
		"artifact": {Handle: put(t, l, "text", "title").ID}, "memory": {Memory: "fact"}, "session": {Handle: session},
	} {
		f, err := l.Forget(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if twice := f.And(f); len(twice.Outside) != len(f.Outside) {
			t.Errorf("%s: of two answers places are named twice: %v", name, twice.Outside)
		}
		var places []string
		for _, p := range f.Outside {
			places = append(places, p.Place)
		}
		all := strings.Join(places, "\n")
		for _, want := range []string{away, "backups made earlier", "exports into", "other workspaces"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: %q is not named: %q", name, want, all)
			}
		}
		if strings.Contains(all, "the session file of claude-code") != (name == "session") {
			t.Errorf("%s: its session files: %q", name, all)
		}
	}
}

// TestWhatIsNotOfTheLedgerIsFoundWithTheWayOut: receipts of install keep agents' settings in base64, and were not searched;
// the copy of a configuration was said to be foreign.
func TestWhatIsNotOfTheLedgerIsFoundWithTheWayOut(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	receipt := asJSON(t, map[string]any{"version": 2, "before": []byte(`{"env":{"TOKEN":"` + canary + `"}}`)})
	clean := asJSON(t, map[string]any{"version": 2, "before": []byte(`{}`)})
	files := map[string]struct{ content, wayOut string }{
		"installed/0a.json":  {string(receipt), "`ctxledger uninstall`"},
		"installed/0b.json":  {string(clean), ""},
		"installed/0c.json":  {"no JSON", ""},
		"settings-user.yaml": {"# " + canary, "take the text out of that file"},
		"trust/0a.json":      {`{"ask":{"command":"` + canary + `"}}`, "`ctxledger config trust --revoke`"},
		"notes.txt":          {canary, "did not write it"},
	}
	for name, f := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(state, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(state, name), []byte(f.content))
	}
	f, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: canary})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, p := range f.Left {
		rel, _ := filepath.Rel(state, p.Place)
		said[filepath.ToSlash(rel)] = p.Why
	}
	for name, f := range files {
		if !strings.Contains(said[name], f.wayOut) || (said[name] == "") != (f.wayOut == "") {
			t.Errorf("%s: %q", name, said[name])
		}
	}
}

// TestForgettingReachesCopies: those of checks and repairs, the ledger that a repair kept, and logs.
func TestForgettingReachesCopies(t *testing.T) {
	inFiles(t)
	state := filepath.Join(t.TempDir(), "ws-1")
	l, _ := openIn(t, state, "/w")
	save := ledger.SaveMemoryRequest{Entry: memory.Entry{Name: "fact", Description: "of it", Body: canary}}
	if _, err := l.SaveMemory(t.Context(), save); err != nil {
		t.Fatal(err)
	}
	copied := readFile(t, filepath.Join(state, "ledger.db"))
	holds, clean := state+".damaged-20261120-120000", state+".damaged-20261120-130000"
	other, _ := openIn(t, clean, "/w")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(state, temporary.Name)
	copies := []string{filepath.Join(inside, "check-1-1"), filepath.Join(inside, "repair-2-2"),
		filepath.Join(filepath.Dir(state), ".ws-1-check-3"), holds}
	for _, dir := range copies {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "ledger.db"), copied)
		if err := os.Chtimes(dir, time.Unix(0, 0), time.Unix(0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(state, "log"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(state, "log", "daemon.log"), []byte("path="+canary))
	dry, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: canary, DryRun: true})
	if err != nil || count(dry, "damaged copy") != 1 || len(rawHits(t, filepath.Dir(state), canary)) < len(copies) {
		t.Errorf("dry run: %+v, %v", dry, err)
	}
	f, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: canary})
	if err != nil || count(f, "damaged copy") != 1 || len(f.Left) != 0 {
		t.Errorf("%+v, %v", f, err)
	}
	nowhere(t, filepath.Dir(state), canary)
	if _, err := os.Stat(clean); err != nil {
		t.Error("a damaged ledger without the text is gone")
	}
	// A handle does not tell what a damaged ledger has.
	session := hand(t, l, ledger.AppendMessagesRequest{Messages: say("Something.", "Fine.")}).Session
	if f, err = l.Forget(t.Context(), ledger.ForgetRequest{Handle: session}); err != nil || len(f.Outside) == 0 ||
		f.Outside[0].Place != clean {
		t.Errorf("by a handle: %+v, %v", f, err)
	}
	wreck := state + ".damaged-20261120-140000"
	if err := os.MkdirAll(filepath.Join(wreck, "blobs", "ab"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(wreck, "ledger.db"), []byte("nothing that can be read"))
	writeFile(t, filepath.Join(wreck, "blobs", "ab", "ab"+strings.Repeat("0", 62)), []byte("no blob"))
	f, err = l.Forget(t.Context(), ledger.ForgetRequest{Text: canary})
	if err != nil || len(f.Left) != 1 || f.Left[0].Place != wreck {
		t.Errorf("one that cannot be read: %+v, %v", f, err)
	}
}

// TestEventsAndAnswersOfAForgottenArtifactLoseItsTitle: `events` printed it.
func TestEventsAndAnswersOfAForgottenArtifactLoseItsTitle(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	a := put(t, l, "content of "+canary, "title "+canary)
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: a.ID}); err != nil {
		t.Fatal(err)
	}
	nowhere(t, state, canary)
}

// TestViewsOfAForgottenSessionAreValid: its entries have lost the names of their tools.
func TestViewsOfAForgottenSessionAreValid(t *testing.T) {
	l := open(t)
	session := named(t, l, "c1")
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: session}); err != nil {
		t.Fatal(err)
	}
	if err := transcript.Valid(transcript.Anthropic, render(t, l, session)); err != nil {
		t.Error(err)
	}
}

// TestForgettingNamesCopies: a session that `resume` wrote holds the same words, and a handle does not reach them.
func TestForgettingNamesCopies(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	first := hand(t, l, ledger.AppendMessagesRequest{Messages: say("Something.", "Fine.")}).Session
	copied, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "claude-code:copy", Next: 1,
		Line: 1, Done: true, Session: sessions.Session{Host: "claude-code", HostID: "copy", Continues: first},
		Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Format: transcript.Anthropic, Time: time.Now(),
			Original: []byte(`{"role":"user","content":"Something."}`)}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ gone, left string }{{first, "session " + copied.Session}, {copied.Session, ""}} {
		f, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: c.gone})
		if err != nil || strings.HasPrefix(f.Outside[0].Place, "session ") != (c.left != "") ||
			c.left != "" && f.Outside[0].Place != c.left {
			t.Errorf("%s: %+v, %v", c.gone, f.Outside, err)
		}
	}
}
