package config

import (
	"strings"
	"testing"
)

// TestWhoSaysWhatHooksDo: the user decides; a workspace can only switch off.
func TestWhoSaysWhatHooksDo(t *testing.T) {
	p := newPlace(t)
	with := func(change func(*Hooks)) Hooks {
		h := DefaultHooks()
		change(&h)
		return h
	}
	for _, c := range []struct {
		name, workspace, user string
		want                  Hooks
		warned                string
	}{
		{"nothing said", "-", "-", DefaultHooks(), ""},
		{"the user switches on", "-", "hooks: {outputs: true, reads: true}\n",
			with(func(h *Hooks) { h.Outputs, h.Reads = true, true }), ""},
		{"the user switches off", "-", "hooks: {memory: false}\n", with(func(h *Hooks) { h.Memory = false }), ""},
		{"a workspace cannot switch on", "hooks: {outputs: true, reads: true, memory: true}\n", "-", DefaultHooks(),
			"ctxledger.yaml:1:9: hooks.outputs ctxledger.yaml:1:24: hooks.reads"},
		{"a workspace switches off", "hooks: {memory: false, outputs: true}\n", "-",
			with(func(h *Hooks) { h.Memory = false }), "ctxledger.yaml:1:24: hooks.outputs"},
		{"the user overrides that", "hooks: {memory: false, repeats: false}\n", "hooks: {memory: true}\n",
			with(func(h *Hooks) { h.Repeats = false }), ""},
		{"both switch on", "hooks:\n  outputs: true\n", "hooks: {outputs: true}\n",
			with(func(h *Hooks) { h.Outputs = true }), "ctxledger.yaml:2:3: hooks.outputs"},
	} {
		p.configure(t, c.workspace, c.user)
		got, problems := p.load()
		var warned []string
		for _, problem := range problems {
			said, why, _ := strings.Cut(problem.String(), ": true has no effect here: ")
			warned = append(warned, said)
			if problem.Severity != Warning || !strings.Contains(why, "only your own") ||
				problem.Hint != "write it in your own file, "+UserFile(p.e) {
				t.Errorf("%s: %+v", c.name, problem)
			}
		}
		if got.Hooks != c.want || strings.Join(warned, " ") != c.warned {
			t.Errorf("%s: %+v, want %+v; %q", c.name, got.Hooks, c.want, warned)
		}
		for _, s := range got.Effective() {
			if s.Path == "hooks.outputs" && s.From != (Source{}) && !s.From.User() {
				t.Errorf("%s: hooks.outputs is said to come from %s", c.name, s.From)
			}
		}
	}
}

// TestWhoHasRequestsMadeSmaller: the user alone; a workspace can only switch it off.
func TestWhoHasRequestsMadeSmaller(t *testing.T) {
	p := newPlace(t)
	for _, c := range []struct {
		workspace, user string
		want            bool
		warned          int
	}{
		{"-", "-", false, 0}, {"-", "reduce: true\n", true, 0}, {"reduce: true\n", "-", false, 1},
		{"reduce: false\n", "reduce: true\n", true, 0}, {"reduce: true\n", "reduce: false\n", false, 1},
	} {
		p.configure(t, c.workspace, c.user)
		if got, problems := p.load(); got.Reduce != c.want || len(problems) != c.warned {
			t.Errorf("%q and %q: %v, %v", c.workspace, c.user, got.Reduce, problems)
		}
	}
}

// TestEachKeyOfHooksIsOneThing: every key sets a member of its own.
func TestEachKeyOfHooksIsOneThing(t *testing.T) {
	seen := map[Hooks]bool{{}: true}
	for _, r := range hookRules() {
		c := Config{}
		*r.into(&target{config: &c}).(*bool) = true
		if seen[c.Hooks] {
			t.Errorf("%s: %+v", r.Key, c.Hooks)
		}
		seen[c.Hooks] = true
	}
}
