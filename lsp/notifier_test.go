package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// newNotifier starts a server that sends notifications when the test says so.
func newNotifier(t *testing.T, settings map[string]any) (*fixture, *notifier) {
	t.Helper()
	f := newFixture(t, nil)
	err := f.Call(f.ctx, "initialize",
		map[string]any{"capabilities": map[string]any{}, "initializationOptions": settings}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f, notifierOf(f.Server)
}

// statuses waits for n status notifications of the live session and returns them.
func (f *fixture) statuses(t *testing.T, n int) (list []Status) {
	t.Helper()
	told, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool { return count(told, statusMethod) >= n })
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range told {
		var st Status
		if err := json.Unmarshal(m.Params, &st); err != nil {
			t.Fatal(err)
		}
		list = append(list, st)
	}
	return list
}

// TestAStatusIsSafeToShow has a ledger that says with hostile words why it cannot be opened.
func TestAStatusIsSafeToShow(t *testing.T) {
	f, n := newNotifier(t, map[string]any{"status": true})
	secret := "ghp_" + strings.Repeat("Ab1x", 9)
	hostile := "ctxledger.yaml says \"a\x1b[2Jb\u202eexe\n# " + secret + "\" " + strings.Repeat("x", 5000)
	f.update(func(k *snapshot) { k.live = live.State{Problem: hostile, Hint: hostile} })
	n.send(batch{})
	st := f.statuses(t, 1)[0]
	for _, said := range []string{st.Problem, st.Hint} {
		if len(said) > maxMessage ||
			!strings.HasPrefix(said, `ctxledger.yaml says "a\u001b[2Jb\u202eexe # [masked:github-token:`) {
			t.Errorf("it says %q", said)
		}
	}
}

// TestAWarningIsAPartOfTheStatus: in one line, and no message over the editor.
func TestAWarningIsAPartOfTheStatus(t *testing.T) {
	f, n := newNotifier(t, map[string]any{"status": true})
	f.first().takeLive(f.ctx, live.State{Session: "s", Warning: "the conversation was resumed\x1b[2J\nafter a pause"})
	n.send(f.pending.take())
	if st := f.statuses(t, 1)[0]; st.Warning != `the conversation was resumed\u001b[2J after a pause` {
		t.Errorf("the status warns %q", st.Warning)
	}
	told, err := f.Until(f.ctx, func([]scriptededitor.Message) bool { return true })
	if err != nil || count(told, "window/showMessage") > 0 {
		t.Errorf("told unasked: %v, %v", told, err)
	}
}

// TestWhatNobodyAskedAboutTakesNoRoom reports the findings of many large documents besides those in use.
func TestWhatNobodyAskedAboutTakesNoRoom(t *testing.T) {
	f, n := newNotifier(t, nil)
	var used []uri.URI
	for i := range keptDocuments + 2 {
		u := uri.URI(fmt.Sprint("untitled:", i))
		d := document{folder: f.first(), uri: u, spelled: u, language: outline.Markdown}
		f.documents.put(d.with(1, text.New(tokens.O200kBase, []byte(strings.Repeat("Some words.\n", keptSize/4/12)))))
		if i < keptDocuments {
			f.documents.used(u)
			used = append([]uri.URI{u}, used...)
		}
	}
	for _, codes := range [][]string{nil, {anyfile.LargeRead}} {
		f.update(func(k *snapshot) { k.settings.Diagnostics, k.settings.Lens = codes, showAlways })
		n.send(batch{refresh: true, documents: map[uri.URI]bool{}})
		if !slices.Equal(f.documents.recent, used) {
			t.Errorf("with %v those in use are %v, not %v", codes, f.documents.recent, used)
		}
	}
	if len(n.reported) != keptDocuments+2 {
		t.Errorf("findings are told of %d documents", len(n.reported))
	}
	f.documents.close(used[0])
	f.documents.used("untitled:1")
	f.documents.looked("untitled:5")
	if got := f.documents.recent; len(got) != keptDocuments || got[0] != "untitled:1" || got[3] != "untitled:5" {
		t.Errorf("with room for one more those in use are %v", got)
	}
}

// TestEqualFindingsAreToldOnce: they were published again at each event of a session.
func TestEqualFindingsAreToldOnce(t *testing.T) {
	f, n := newNotifier(t, map[string]any{"show": "all"})
	d := document{folder: f.first(), uri: "untitled:a", spelled: "untitled:a", language: outline.Markdown}
	f.documents.put(d.with(1, text.New(tokens.O200kBase, []byte(strings.Repeat("word ", 900)))))
	for _, b := range []batch{{refresh: true}, {refresh: true}, {documents: map[uri.URI]bool{"untitled:a": true}}} {
		if b.documents == nil {
			b.documents = map[uri.URI]bool{}
		}
		n.send(b)
	}
	f.documents.close("untitled:a")
	n.publish("untitled:a", true) // the last message
	told, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool {
		return len(told) > 0 && strings.Contains(string(told[len(told)-1].Params), `"diagnostics":[]`)
	})
	if err != nil || count(told, "textDocument/publishDiagnostics") != 3 {
		t.Errorf("told: %v, %v", told, err)
	}
}

// TestAStatusThatIsWantedAgainIsTold switches it off and on while nothing happens.
func TestAStatusThatIsWantedAgainIsTold(t *testing.T) {
	f, n := newNotifier(t, nil)
	for _, on := range []bool{true, true, false, true} {
		f.update(func(k *snapshot) { k.settings.Status, k.live = on, live.State{Session: "s"} })
		n.send(batch{})
	}
	f.update(func(k *snapshot) { k.live.Session = "the last one" })
	n.send(batch{})
	if list := f.statuses(t, 2); list[1].Session != "s" {
		t.Errorf("what was told is %+v", list)
	}
}

// TestAWrongSettingIsToldUntilItIsCorrected: the status names it.
func TestAWrongSettingIsToldUntilItIsCorrected(t *testing.T) {
	f, n := newNotifier(t, nil)
	for _, said := range []string{`{"status":true,"lens":"sometimes"}`, `{"status":true,"lens":"off"}`} {
		f.update(func(k *snapshot) { k.settings, k.wrong = defaults().read([]byte(said)) })
		n.send(batch{})
	}
	f.update(func(k *snapshot) { k.live.Session = "s" })
	n.send(batch{})
	list := f.statuses(t, 3)
	if !strings.Contains(list[0].Problem, `lens is "sometimes"`) || list[0].Hint == "" || list[1].Problem != "" ||
		list[2].Problem != "" {
		t.Errorf("what was told is %+v", list)
	}
}

// TestFindingsAreToldInTheOrderOfTheirDocuments reports those of many documents at once.
func TestFindingsAreToldInTheOrderOfTheirDocuments(t *testing.T) {
	f, n := newNotifier(t, map[string]any{"diagnostics": []string{anyfile.LongLines}})
	l := batch{documents: map[uri.URI]bool{}}
	var want []string
	for c := 'a'; c <= 'z'; c++ {
		u := uri.URI("untitled:" + string(c))
		d := document{folder: f.first(), uri: u, spelled: u}
		f.documents.put(d.with(1, text.New(tokens.O200kBase, []byte(strings.Repeat("x", 3000)))))
		l.documents[u] = true
		want = append(want, string(u))
	}
	n.send(l)
	const method = "textDocument/publishDiagnostics"
	told, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool { return count(told, method) == len(want) })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range told {
		var p struct{ URI string }
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		got = append(got, p.URI)
	}
	if !slices.Equal(got, want) {
		t.Errorf("they are told in the order %v", got)
	}
}
