package core

import (
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

func TestSettingsAreThoseOfTheSessionsTree(t *testing.T) {
	read := 0
	l := &Ledger{root: "/w", configured: newTreeSettings(Options{Workspace: "/w",
		SettingsOf: func(tree string) Settings {
			read++
			p := window.Default()
			p.ResultChars = len(tree)
			return Settings{Policy: &p, Corrections: []string{tree}}
		}})}
	for range 2 {
		for tree, want := range map[string]string{"/b": "/b", "/cc": "/cc"} {
			s := sessions.Session{Tree: tree}
			p, err := l.policyFor(s, ledger.Reader{})
			if err != nil || p.ResultChars != len(want) || l.Settings(s).Corrections[0] != want {
				t.Errorf("%s: %+v, %v", tree, l.Settings(s), err)
			}
		}
		for _, tree := range []string{"", "/w"} {
			if c := l.Settings(sessions.Session{Tree: tree}).Corrections; len(c) == 1 {
				t.Errorf("%q: %q", tree, c)
			}
		}
	}
	if read != 2 {
		t.Errorf("read %d times", read)
	}
}
