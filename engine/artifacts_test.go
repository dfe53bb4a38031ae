package engine_test

import (
	"io"
	"strings"
	"testing"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// put keeps a text as an artifact.
func put(t *testing.T, l *engine.Local, text, title string) artifacts.Artifact {
	t.Helper()
	ref, err := l.PutBlob(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	a, err := l.PutArtifact(t.Context(), ledger.PutArtifactRequest{Blob: ref.Hash, Title: title})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestPutArtifactMeasuresItsContent(t *testing.T) {
	l := open(t)
	code := string(readFile(t, "../transcript/format.go"))
	for name, text := range map[string]string{
		"empty": "", "short": "a\nb\n", "wide": "é界😀\n",
		"code of several chunks": strings.Repeat(code, (5<<20)/len(code)/2),
	} {
		a := put(t, l, text, name)
		want := tokens.O200kBase.CountString(text)
		if a.Bytes != int64(len(text)) || a.Chars != int64(len([]rune(text))) || a.Tokens != want {
			t.Errorf("%s: %d bytes, %d characters, %d tokens, want %d, %d, %d", name, a.Bytes, a.Chars, a.Tokens,
				len(text), len([]rune(text)), want)
		}
		if a.Features != tokens.FeaturesOf(text) {
			t.Errorf("%s: the features are %v", name, a.Features)
		}
		if again := put(t, l, text, "another title"); again.ID != a.ID || again.Title != name {
			t.Errorf("%s: the same content is %s %q and %s %q", name, a.ID, a.Title, again.ID, again.Title)
		}
	}
}

func TestWhatArtifactsAreCalledIsLimited(t *testing.T) {
	l := open(t)
	ref, err := l.PutBlob(t.Context(), strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 301)
	for name, r := range map[string]ledger.PutArtifactRequest{
		"title": {Title: long}, "tool": {Tool: long}, "hint": {Hint: long},
		"session": {Ref: artifacts.Ref{Session: long}},
	} {
		r.Blob = ref.Hash
		if _, err := l.PutArtifact(t.Context(), r); !fault.Is(err, fault.TooLarge) {
			t.Errorf("a long %s: %v", name, err)
		}
	}
	_, err = l.PutArtifact(t.Context(), ledger.PutArtifactRequest{Blob: "none"})
	wantCode(t, err, fault.NotFound)
}

func TestEveryKindOfHandleReadsBySelection(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	summary := compact(t, l, id, compactionOf(2)).Summary
	message := log(t, l, id)[0]
	a := put(t, l, "one\ntwo\nthree\n", "numbers")
	for _, test := range []struct {
		id     string
		s      artifacts.Selection
		want   string
		prefix bool
		raw    bool
	}{
		{a.ID, artifacts.Selection{}, "one\ntwo\nthree\n", false, false},
		{a.ID, artifacts.Selection{Lines: "2"}, "two\n", false, false},
		{a.ID, artifacts.Selection{Tail: 1}, "three\n", false, false},
		{a.ID, artifacts.Selection{Bytes: "0-2"}, "one", false, false},
		{summary.ID, artifacts.Selection{Head: 1}, `{"role":"user","content":"Request 0:`, true, true},
		{summary.ID, artifacts.Selection{Lines: "2-2"}, `{"role":"assistant","content":"Answer 0:`, true, true},
		{summary.ID, artifacts.Selection{Head: 1}, "[message " + message.Handle() + ", turn 1, user]\n", false,
			false},
		{summary.ID, artifacts.Selection{Lines: "2"}, `Request 0:`, true, false},
		{message.ID[:12], artifacts.Selection{}, `Request 0:`, true, false},
	} {
		page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: test.id, Selection: test.s,
			Raw: test.raw})
		ok := page.Text == test.want || test.prefix && strings.HasPrefix(page.Text, test.want) ||
			test.s.JSONPath != "" && strings.Contains(page.Text, test.want)
		if err != nil || !ok || page.ID != test.id {
			t.Errorf("%s %+v: %.100q, %v", test.id, test.s, page.Text, err)
		}
	}
}

// A handle can be given by its beginning, as a session can. One that several handles share is refused with a list of them.
func TestAHandleCanBeGivenByItsBeginning(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	summary := compact(t, l, id, compactionOf(2)).Summary.ID
	one, other := put(t, l, "text 60", "a").ID, put(t, l, "text 94", "b").ID
	for _, whole := range []string{summary, log(t, l, id)[0].Handle(), one} {
		page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: whole[:7]})
		if err != nil || page.ID != whole {
			t.Errorf("%s leads to %q, %v", whole[:7], page.ID, err)
		}
		if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: whole[:7], DryRun: true}); err != nil {
			t.Errorf("forgetting %s: %v", whole[:7], err)
		}
	}
	_, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: "fb56"})
	if wantCode(t, err, fault.Conflict); !strings.Contains(err.Error(), one+", "+other) {
		t.Error(err)
	}
	_, err = l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: one[:3]})
	wantCode(t, err, fault.NotFound)
	undone, err := l.Restore(t.Context(), ledger.RestoreRequest{ID: summary[:7]})
	if err != nil {
		t.Error(undone, err)
	}
}

// A chat that handed over notes and nothing else is read back as these.
func TestNotesAreReadBackThroughTheirSession(t *testing.T) {
	l := open(t)
	const decided = "Decided in the chat: prices are in cents."
	s, err := l.KeepNotes(t.Context(), ledger.KeepNotesRequest{Host: "mcp", Notes: sessions.Notes{Text: decided}})
	if err != nil {
		t.Fatal(err)
	}
	page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: s.ID})
	if err != nil || !strings.HasSuffix(page.Text, ", notes of the agent]\n"+decided+"\n\n") {
		t.Errorf("%q, %v", page.Text, err)
	}
}

// A person has the id that the agent shows: it reads the whole session, as ours does.
func TestASessionIsReadByItsHostsID(t *testing.T) {
	l := open(t)
	live := ledger.LiveSession{Host: "claude-code", HostID: "its-own-id"}
	id := recorded(t, l, live, 0, `{"role":"user","content":"go"}`)
	ours, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: id})
	theirs, failed := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: "its-own-id"})
	if err != nil || failed != nil || ours.Text != theirs.Text || ours.Text == "" {
		t.Errorf("%q, %v; by the host's id %q, %v", ours.Text, err, theirs.Text, failed)
	}
}

// A result behind a summary is found by the words of its call, which its heading has.
func TestAResultBehindASummaryIsFoundByItsCall(t *testing.T) {
	l := open(t)
	messages := [][]byte{
		[]byte(`{"role":"user","content":"What does the store return?"}`),
		[]byte(`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Grep",` +
			`"input":{"pattern":"return","path":"store.go"}}]}`),
		[]byte(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"14: errStale"}]}`),
	}
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: append(messages, long(30)...)}).Session
	summary := compact(t, l, id, compactionOf(2)).Summary
	page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: summary.ID,
		Selection: artifacts.Selection{Search: "Grep store.go"}})
	want := ": Grep pattern: return path: store.go]\n14: errStale"
	if err != nil || !strings.Contains(page.Text, want) {
		t.Errorf("%s, %v", page.Text, err)
	}
}

func TestHandlesOfAnotherWorkspaceAreNotFound(t *testing.T) {
	l, other := open(t), open(t)
	a := put(t, other, "elsewhere", "")
	id := hand(t, other, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	summary := compact(t, other, id, compactionOf(2)).Summary.ID
	for _, handle := range []string{a.ID, summary, log(t, other, id)[0].ID, "", "no handle",
		strings.Repeat("a", 1<<20)} {
		_, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: handle})
		if !fault.Is(err, fault.NotFound) || fault.HintOf(err) == "" || len(err.Error()) > 1200 {
			t.Errorf("%.40q: %v", handle, err)
		}
	}
}

func TestReadBlobFromAnOffset(t *testing.T) {
	l := open(t)
	a := put(t, l, "0123456789", "")
	for _, test := range []struct {
		r    ledger.ReadBlobRequest
		want string
		code fault.Code
	}{
		{ledger.ReadBlobRequest{Hash: a.Hash}, "0123456789", ""},
		{ledger.ReadBlobRequest{Handle: a.ID, Offset: 7}, "789", ""},
		{ledger.ReadBlobRequest{Handle: a.ID, Offset: 10}, "", ""},
		{ledger.ReadBlobRequest{Handle: a.ID, Offset: 11}, "", fault.Invalid},
		{ledger.ReadBlobRequest{Handle: a.ID, Offset: -1}, "", fault.Invalid},
		{ledger.ReadBlobRequest{}, "", fault.Invalid},
		{ledger.ReadBlobRequest{Hash: a.Hash, Handle: a.ID}, "", fault.Invalid},
		{ledger.ReadBlobRequest{Hash: "../../etc/passwd"}, "", fault.NotFound},
	} {
		rc, err := l.ReadBlob(t.Context(), test.r)
		if err != nil {
			if !fault.Is(err, test.code) {
				t.Errorf("%+v: %v", test.r, err)
			}
			continue
		}
		got, err := io.ReadAll(rc)
		if err != nil || string(got) != test.want || rc.Close() != nil {
			t.Errorf("%+v: %q, %v", test.r, got, err)
		}
	}
}

func TestSearchFindsPassagesInAllArtifacts(t *testing.T) {
	l := open(t)
	empty, err := l.SearchArtifacts(t.Context(), ledger.SearchArtifactsRequest{Query: "anything"})
	if err != nil || empty.Passages == nil || len(empty.Passages) != 0 {
		t.Fatalf("in nothing: %+v, %v", empty, err)
	}
	put(t, l, strings.Repeat("nothing here\n", 100), "")
	a := put(t, l, strings.Repeat("filler\n", 50)+"connection refused by peer\n"+strings.Repeat("filler\n", 50), "")
	gone := put(t, l, "connection refused in what is forgotten\n", "")
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: gone.ID}); err != nil {
		t.Fatal(err)
	}
	found, err := l.SearchArtifacts(t.Context(), ledger.SearchArtifactsRequest{Query: "connection refused",
		Limit: -1})
	if err != nil || len(found.Passages) != 1 || found.Passages[0].ID != a.ID {
		t.Errorf("%+v, %v", found, err)
	}
	_, err = l.SearchArtifacts(t.Context(), ledger.SearchArtifactsRequest{Query: strings.Repeat("x", 5000)})
	wantCode(t, err, fault.Invalid)
}

func TestResultsOfOurOwnToolsAreNeverOffloaded(t *testing.T) {
	l := open(t)
	text := strings.Repeat("read back line\n", 4000)
	messages := spell("A")
	for _, name := range []string{"mcp__ctxledger__read_artifact", "ctx_read_artifact", "Read"} {
		messages = append(messages,
			raw(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":%q,"input":{}}]}`, name, name),
			raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]}`, name, text))
	}
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	for _, e := range log(t, l, id) {
		for _, r := range e.Results {
			if offloaded := r.Artifact != ""; offloaded != (r.CallID == "Read") {
				t.Errorf("the result of %s is offloaded: %v", r.CallID, offloaded)
			}
		}
	}
}

func TestTwoResultsOfOneCallKeepTheirStubs(t *testing.T) {
	l := open(t)
	first, second := strings.Repeat("the first result\n", 4000), strings.Repeat("the second result\n", 4000)
	result := func(text string) string {
		return string(raw(`{"type":"tool_result","tool_use_id":"c","content":%q}`, text))
	}
	of := func(results ...string) []byte {
		return raw(`{"role":"user","content":[%s]}`, strings.Join(results, ","))
	}
	for name, messages := range map[string][][]byte{
		"in two messages": {of(result(first)), of(result(second))},
		"in one message":  {of(result(first), result(second))},
	} {
		id := hand(t, l, ledger.AppendMessagesRequest{Messages: append(append(spell("A"),
			toolUse("c", "Read", `{}`)), messages...)}).Session
		shown := string(render(t, l, id)[2])
		handle := log(t, l, id)[2].Results[0].Artifact
		if !strings.Contains(shown, handle) || !strings.Contains(shown, "the first result") ||
			strings.Contains(shown, "the second result") {
			t.Errorf("%s: the view shows %.600s", name, shown)
		}
		if got := readHandle(t, l, handle); got != first {
			t.Errorf("%s: the handle reads %.60q", name, got)
		}
	}
}
