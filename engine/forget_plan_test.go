package engine_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// contents returns the bytes of every file of a state directory.
func contents(t *testing.T, state string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		all[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// saveFact saves a memory.
func saveFact(t *testing.T, l *engine.Local, name, body string) {
	t.Helper()
	r := ledger.SaveMemoryRequest{Entry: memory.Entry{Name: name, Body: body}, Overwrite: true}
	if _, err := l.SaveMemory(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

// TestADryRunSaysWhatForgettingDoes: the two count the same, and the first changes no byte of the ledger.
func TestADryRunSaysWhatForgettingDoes(t *testing.T) {
	for _, c := range []struct {
		name  string
		what  func(t *testing.T, l *engine.Local, session, artifact string) ledger.ForgetRequest
		items string // kinds of the first items
		title string // of one of them
	}{
		{"a session", func(_ *testing.T, _ *engine.Local, session, _ string) ledger.ForgetRequest {
			return ledger.ForgetRequest{Handle: session}
		}, "session artifact summary message", "Bash command=show --all"},
		{"an artifact", func(_ *testing.T, _ *engine.Local, _, artifact string) ledger.ForgetRequest {
			return ledger.ForgetRequest{Handle: artifact}
		}, "artifact message", "Bash command=show --all"},
		{"a message", func(t *testing.T, l *engine.Local, session, _ string) ledger.ForgetRequest {
			return ledger.ForgetRequest{Handle: log(t, l, session)[0].ID}
		}, "message", "user: Deploy with " + planted},
		{"a summary", func(t *testing.T, l *engine.Local, session, _ string) ledger.ForgetRequest {
			list, err := l.Summaries(t.Context(), ledger.SummariesRequest{Session: session})
			if err != nil || len(list.Summaries) == 0 {
				t.Fatal(err)
			}
			return ledger.ForgetRequest{Handle: list.Summaries[0].ID}
		}, "summary", "of session "},
		{"a text", func(*testing.T, *engine.Local, string, string) ledger.ForgetRequest {
			return ledger.ForgetRequest{Text: planted}
		}, "artifact artifact summary memory message", "user: Deploy with […] please"},
		{"a memory", func(t *testing.T, l *engine.Local, _, _ string) ledger.ForgetRequest {
			saveFact(t, l, "deploy", "the first way to do it")
			saveFact(t, l, "deploy", "the second way to do it")
			return ledger.ForgetRequest{Memory: "Deploy"}
		}, "memory", "the second way to do it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			state := t.TempDir()
			l, _ := openIn(t, state, "/w")
			session, artifact := plant(t, l, planted)
			r := c.what(t, l, session, artifact)
			before := contents(t, state)
			r.DryRun = true
			plan, err := l.Forget(t.Context(), r)
			if err != nil || !plan.DryRun || len(plan.Counts) == 0 {
				t.Fatalf("%+v, %v", plan, err)
			}
			if !reflect.DeepEqual(contents(t, state), before) {
				t.Error("the dry run changed the files of the ledger")
			}
			var kinds []string
			for _, i := range plan.Items {
				kinds = append(kinds, i.Kind)
			}
			titled := func(i ledger.ForgottenItem) bool { return strings.HasPrefix(i.Title, c.title) }
			if !strings.HasPrefix(strings.Join(kinds, " "), c.items) || !slices.ContainsFunc(plan.Items, titled) {
				t.Errorf("items: %+v", plan.Items)
			}
			r.DryRun = false
			f, err := l.Forget(t.Context(), r)
			if err != nil || f.DryRun || f.Items != nil {
				t.Fatalf("%+v, %v", f, err)
			}
			if fmt.Sprint(f.Counts, f.Bytes, f.Sessions) != fmt.Sprint(plan.Counts, plan.Bytes, plan.Sessions) {
				t.Errorf("planned %v, %d bytes, %v\nforgot %v, %d bytes, %v", plan.Counts, plan.Bytes, plan.Sessions,
					f.Counts, f.Bytes, f.Sessions)
			}
		})
	}
}

// TestAPlanDoesNotShowTheTextThatIsToGo: who forgets a secret does not want it on the screen.
func TestAPlanDoesNotShowTheTextThatIsToGo(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	plant(t, l, planted)
	plan, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: planted, DryRun: true})
	if err != nil || len(plan.Items) < 4 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if bytes.Contains(asJSON(t, plan), []byte(planted)) {
		t.Errorf("%+v", plan.Items)
	}
}

// TestForgettingAMemoryErasesItsBytes: also those of its earlier versions, of one that was deleted before, and of pages
// that the store has freed.
func TestForgettingAMemoryErasesItsBytes(t *testing.T) {
	const first, second, other = "first-version-of-it", "second-version-of-it", "another fact stays"
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	saveFact(t, l, "kept", other)
	saveFact(t, l, "gone", first)
	saveFact(t, l, "gone", second)
	if _, err := l.DeleteMemory(t.Context(), ledger.DeleteMemoryRequest{Name: "gone"}); err != nil {
		t.Fatal(err)
	}
	f, err := l.Forget(t.Context(), ledger.ForgetRequest{Memory: "gone", Scope: memory.Project})
	if err != nil || count(f, "memory") != 1 || count(f, "memory version") != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	for _, text := range []string{first, second} {
		if hits := rawHits(t, state, text); len(hits) > 0 {
			t.Errorf("%s is left in %v", text, hits)
		}
	}
	if e, err := l.Memory(t.Context(), ledger.MemoryRequest{Name: "kept"}); err != nil || e.Body != other {
		t.Errorf("%+v, %v", e, err)
	}
	_, err = l.Forget(t.Context(), ledger.ForgetRequest{Memory: "gone"})
	wantCode(t, err, fault.NotFound)
}

func TestForgettingNamesOneThing(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	for _, r := range []ledger.ForgetRequest{{}, {Handle: "a", Text: planted}, {Handle: "a", Memory: "b"},
		{Text: planted, Memory: "b"}, {Handle: "a", Scope: memory.Project}, {Memory: "b", Scope: memory.User}} {
		_, err := l.Forget(t.Context(), r)
		wantCode(t, err, fault.Invalid)
	}
}

// TestAPlanOfALongSessionIsShort: it counts everything and describes the largest.
func TestAPlanOfALongSessionIsShort(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	var messages [][]byte
	for i := range 3 * ledger.MaxForgottenItems {
		messages = append(messages, say(fmt.Sprintf("Request %d %s", i, strings.Repeat("x", i)))...)
	}
	session := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	plan, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: session, DryRun: true})
	if err != nil || count(plan, "message") != len(messages) || len(plan.Items) != ledger.MaxForgottenItems {
		t.Fatalf("%d items, %v, %v", len(plan.Items), plan.Counts, err)
	}
	if plan.Items[0].Kind != "session" || !strings.HasPrefix(plan.Items[1].Title, "user: Request 299 xxx") {
		t.Errorf("%+v", plan.Items[:2])
	}
}
