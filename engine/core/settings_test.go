package core

import (
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

func TestThePolicyOfAnAgentIsFoundByAnyOfItsNames(t *testing.T) {
	own := window.Default()
	own.ResultChars = 5
	l := &Ledger{Options: Options{Settings: Settings{Agents: map[string]window.Policy{"gemini": own}}}}
	for host, want := range map[string]int{"gemini": 5, "gemini-cli": 5, "codex": window.Default().ResultChars} {
		p, err := l.policyFor(sessions.Session{Host: host}, ledger.Reader{})
		if err != nil || p.ResultChars != want {
			t.Errorf("%s: %d characters of a result, want %d, %v", host, p.ResultChars, want, err)
		}
	}
}

func TestSettingsAreThoseOfTheSessionsTree(t *testing.T) {
	l := &Ledger{root: "/w", Options: Options{Workspace: "/w",
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
