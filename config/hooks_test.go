package config

import "testing"

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
	}{
		{"nothing said", "-", "-", DefaultHooks()},
		{"the user switches on", "-", "hooks: {environment: true, reads: true}\n",
			with(func(h *Hooks) { h.Environment, h.Reads = true, true })},
		{"the user switches off", "-", "hooks: {memory: false}\n", with(func(h *Hooks) { h.Memory = false })},
		{"a workspace cannot switch on", "hooks: {environment: true, reads: true}\n", "-", DefaultHooks()},
		{"a workspace switches off", "hooks: {memory: false, environment: true}\n", "-",
			with(func(h *Hooks) { h.Memory = false })},
		{"the user overrides that", "hooks: {memory: false, repeats: false}\n", "hooks: {memory: true}\n",
			with(func(h *Hooks) { h.Repeats = false })},
	} {
		p.configure(t, c.workspace, c.user)
		got, problems := p.load()
		if got.Hooks != c.want || len(problems) > 0 {
			t.Errorf("%s: %+v, want %+v; %v", c.name, got.Hooks, c.want, problems)
		}
	}
}

// TestEachKeyOfHooksIsOneThing: every key sets a member of its own, which and() looks at, too.
func TestEachKeyOfHooksIsOneThing(t *testing.T) {
	seen := map[Hooks]bool{{}: true}
	for _, r := range hookRules {
		c := Config{}
		*r.into(&target{config: &c}).(*bool) = true
		if seen[c.Hooks] || c.Hooks.and(AllHooks()) != c.Hooks || c.Hooks.and(Hooks{}) != (Hooks{}) {
			t.Errorf("%s: %+v", r.Key, c.Hooks)
		}
		seen[c.Hooks] = true
	}
}
