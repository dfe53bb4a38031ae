package engine_test

import (
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// New input counts, or all input if the setting says so. Without reported usage it is estimated: for each agent, what it has
// not seen yet.
func TestInputIsCountedAsThePolicySays(t *testing.T) {
	measured := &sessions.Usage{Input: 100, Output: 5, CacheRead: 10_000, CacheWrite: 50}
	for _, c := range []struct {
		name   string
		usage  *sessions.Usage
		cached bool
		limit  int
		due    bool
	}{
		{"new input alone", measured, false, 451, false},
		{"new input reaches it", measured, false, 450, true},
		{"all input", measured, true, 30_450, true},
		{"all input, more", measured, true, 30_451, false},
		{"estimated: what is new", nil, false, 3_000, true},
		{"estimated: not yet", nil, false, 4_000, false},
		{"estimated: all of it", nil, true, 5_900, true},
	} {
		p := window.Default()
		p.Compact.CutoverAt, p.Compact.WarnAt, p.Compact.CountCached = c.limit, c.limit/2, c.cached
		e, _ := testEnv()
		l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Env: e,
			Settings: engine.Settings{Policy: &p}})
		if err != nil {
			t.Fatal(err)
		}
		session := ""
		for range 3 {
			session = hand(t, l, ledger.AppendMessagesRequest{Session: session, Since: session != "", Model: "gpt-4o",
				Messages: say(words(1_000), "ok"), Usage: c.usage}).Session
		}
		made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: session})
		if err != nil {
			t.Fatal(err)
		}
		st, err := l.Status(t.Context(), ledger.StatusRequest{Session: session})
		if err != nil {
			t.Fatal(err)
		}
		if due := made.Due.Reason == window.ReasonCumulative; due != c.due ||
			st.Agents[0].Estimate != (c.usage == nil) {
			t.Errorf("%s: due %t (%s), %+v", c.name, due, made.Due.Why, st.Agents)
		}
		if n := len(st.Warned); n == 0 || st.Warned[0].Estimate != (c.usage == nil) {
			t.Errorf("%s: warned %+v", c.name, st.Warned)
		}
		l.Close()
	}
}

// Of several agents each has what it had not seen: the words of the others count when they are read.
func TestEstimatesAreOfEachAgent(t *testing.T) {
	e, _ := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Env: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	by := func(name, text string) []byte {
		return []byte(`{"role":"assistant","name":"` + name + `","content":"` + text + `"}`)
	}
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: [][]byte{say(words(1_000))[0],
		by("Developer", words(500)), by("Tester", "ok"), by("Developer", "ok")}}).Session
	st, err := l.Status(t.Context(), ledger.StatusRequest{Session: id})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, a := range st.Agents {
		got[a.Agent] = a.Input
	}
	if d, x := got["Developer"], got["Tester"]; d < 1_000 || d > 1_030 || x < 1_500 || x > 1_530 {
		t.Errorf("%v", got)
	}
}

// words is a text of n tokens.
func words(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
