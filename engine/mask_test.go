package engine_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// secret is a token that no rule can miss; in parts, so that no scanner takes this file for a leak.
var secret = "ghp_" + strings.Repeat("Ab1x", 9)

// leaks fails the test when a secret is in what leaves.
func leaks(t *testing.T, exit string, v any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(raw, []byte(secret)) {
		t.Errorf("%s: the secret leaves: %s", exit, raw)
	}
	if !bytes.Contains(raw, []byte("[masked:github-token:")) {
		t.Errorf("%s: nothing says that something was masked: %s", exit, raw)
	}
}

func TestNoSecretLeavesThroughMemory(t *testing.T) {
	l := open(t)
	r := fact("k", "deploy")
	r.Description, r.Body = "with "+secret, "token: "+secret+"\npassword=hunter2hunter2"
	saved, err := l.SaveMemory(t.Context(), r)
	if err != nil || saved.Masked != 3 {
		t.Fatalf("%d values masked of 3: %v", saved.Masked, err)
	}
	leaks(t, "the answer", saved)
	if again, err := l.SaveMemory(t.Context(), r); err != nil || again != saved {
		t.Errorf("the same request again: %+v, %v", again, err)
	}
	stored, err := l.Memory(t.Context(), ledger.MemoryRequest{Name: "deploy"})
	if err != nil || stored.Masked != 0 || strings.Contains(stored.Body, "hunter2") {
		t.Errorf("stored: %+v, %v", stored, err)
	}
	leaks(t, "the memory", stored)
	found, err := l.Memories(t.Context(), ledger.MemoriesRequest{Query: "deploy", Body: true})
	if err != nil {
		t.Fatal(err)
	}
	leaks(t, "a recall", found)
}

func TestNoSecretLeavesThroughEvents(t *testing.T) {
	l := open(t)
	put(t, l, "text", "curl -H 'Authorization: token "+secret+"'")
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: say("hi")}).Session
	recovered(t, l, ledger.OverflowRequest{Session: id, Body: []byte("prompt is too long: 9 tokens > 8000 maximum"),
		Provider: "token " + secret})
	leaks(t, "an event", events(t, l, ledger.WaitEventsRequest{}))
	if told := eventsOf[ledger.ContextOverflow](t, l, ledger.EventOverflow); len(told) != 1 || told[0].Limit != 8_000 {
		t.Errorf("the rest of the payload: %+v", told)
	}
}

func TestMasksAreTheSameAfterARestart(t *testing.T) {
	dir := t.TempDir()
	ask := func(l *engine.Local) string {
		r, err := l.Mask(t.Context(), ledger.MaskRequest{Text: "token " + secret + "."})
		if err != nil || r.Masked != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		leaks(t, "Mask", r)
		return r.Text
	}
	l, _ := openIn(t, dir, "/w")
	first := ask(l)
	r, err := l.Mask(t.Context(), ledger.MaskRequest{Secret: []byte(secret)})
	if err != nil || !strings.Contains(first, ":"+r.Suffix+"]") || r.Suffix == "" {
		t.Errorf("%q is not the end of %s: %v", r.Suffix, first, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, _ = openIn(t, dir, "/w")
	if again := ask(l); again != first {
		t.Errorf("%s became %s", first, again)
	}
	if other := ask(open(t)); other == first {
		t.Error("two ledgers have one key")
	}
	_, err = l.Mask(t.Context(), ledger.MaskRequest{Text: strings.Repeat("x", limits.MaskText+1)})
	wantCode(t, err, fault.TooLarge)
}

// TestSecretsStayExactAtRest checks that masking at the exits never touches an original: the owner and the
// agent that it came from get their bytes back.
func TestSecretsStayExactAtRest(t *testing.T) {
	l := open(t)
	session := hand(t, l, ledger.AppendMessagesRequest{Messages: say("use "+secret, "password=hunter2hunter2")}).Session
	if got := string(originals(t, l, session, 1, 1<<40)); !strings.Contains(got, secret) ||
		!strings.Contains(got, "hunter2hunter2") {
		t.Errorf("the originals: %s", got)
	}
	view := string(bytes.Join(render(t, l, session), nil))
	if !strings.Contains(view, secret) || strings.Contains(view, "[masked:") {
		t.Errorf("the view: %s", view)
	}
	a := put(t, l, "the key is "+secret, "notes")
	page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: a.ID})
	if err != nil || page.Text != "the key is "+secret {
		t.Errorf("the artifact: %+v, %v", page, err)
	}
}
