package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"ctxledger.dev/internal/scriptededitor"
	"ctxledger.dev/lsp/live"
)

// newTeller starts a server whose news are told when the test says so.
func newTeller(t *testing.T, settings map[string]any) (*fixture, *teller) {
	t.Helper()
	f := newFixture(t, nil)
	if err := f.Call(f.ctx, "initialize", map[string]any{"capabilities": map[string]any{}, "initializationOptions": settings}, nil); err != nil {
		t.Fatal(err)
	}
	return f, &teller{Server: f.Server, reported: map[uri.URI]uri.URI{}, registered: map[string]bool{}}
}

// statuses returns what the client was told of the live session, when it was told that n times.
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
	f, teller := newTeller(t, map[string]any{"status": true})
	secret := "ghp_" + strings.Repeat("Ab1x", 9)
	hostile := "ctxledger.yaml says \"a\x1b[2Jb\u202eexe\n# " + secret + "\" " + strings.Repeat("x", 5000)
	f.know(func(k *known) { k.live = live.State{Problem: hostile, Hint: hostile} })
	teller.tell(lot{})
	st := f.statuses(t, 1)[0]
	for _, said := range []string{st.Problem, st.Hint} {
		if len(said) > maxMessage || !strings.HasPrefix(said, `ctxledger.yaml says "a\u001b[2Jb\u202eexe # [masked:github-token:`) {
			t.Errorf("it says %q", said)
		}
	}
}
