package core

import (
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

func TestSettingsAreThoseOfTheSessionsTree(t *testing.T) {
	l := &Ledger{root: "/w", configured: Options{Workspace: "/w",
		SettingsOf: func(tree string) Settings {
			p := window.Default()
			p.ResultChars = len(tree)
			return Settings{Policy: &p, Corrections: []string{tree}}
		}}}
	for tree, want := range map[string]string{"/b": "/b", "/cc": "/cc", "": "/w", "/w": "/w"} {
		s := sessions.Session{Tree: tree}
		p, err := l.policyFor(s, ledger.Reader{})
		if err != nil || p.ResultChars != len(want) || l.Settings(s).Corrections[0] != want {
			t.Errorf("%s: %+v, %v", tree, l.Settings(s), err)
		}
	}
}
