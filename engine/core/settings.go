package core

import (
	"cmp"
	"time"

	"ctxledger.dev/config"
	"ctxledger.dev/given/spec"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/stores"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// Options say which ledger to open.
type Options struct {
	State     string        // state directory; created when absent
	Workspace string        // root directory that paths are relative to; "" for a user ledger
	Hosted    bool          // the workspace has no directory on this machine: see daemon.Options
	Env       env.Env       // clock and randomness
	LockWait  time.Duration // how long to wait for another owner to leave; 0: not at all
	RunTwice  bool          // test switch: run every transaction twice, see kv
	Scratch   bool          // the ledger is removed with its process: nothing waits for the disk, see kv.Options

	Store  string      // URL of the records, see kv.Backends; "": files in State
	Stores kv.Backends // the kinds of stores; nil: those of kv/stores

	Settings Settings
	// Trees returns the roots of the trees that share the ledger; nil: Workspace alone.
	Trees func() []string
	// Former are roots that the workspace had before its ledger was taken over for this one.
	Former []string
	// SettingsOf returns what one of the trees configures now, which holds for its sessions; nil: Settings.
	SettingsOf func(tree string) Settings
}

// backend returns the kind of store that the records are in, and their place.
func (o *Options) backend() (kv.Backend, string, error) {
	kinds := o.Stores
	if kinds == nil {
		kinds = stores.All()
	}
	return kinds.Find(cmp.Or(o.Store, "bolt:"+o.State))
}

// OpenStore opens the store of the records alone. Errors: those of kv.Backends.Open.
func (o *Options) OpenStore() (kv.Store, error) {
	backend, place, err := o.backend()
	if err != nil {
		return nil, err
	}
	return backend.Open(place, kv.Options{LockWait: o.LockWait, RunTwice: o.RunTwice, Scratch: o.Scratch})
}

// Files returns how the records are read while no process has them open, and their place; nil: they are in no files.
func (o *Options) Files() (kv.Files, string, error) {
	backend, place, err := o.backend()
	files, _ := backend.(kv.Files)
	return files, place, err
}

// Settings are what a user configures of a ledger. The zero value is that of a workspace without a
// configuration.
type Settings struct {
	Models *tokens.Registry // what models count and hold; nil: those that the program knows
	Policy *window.Policy   // how much of a conversation a model is to see; nil: window.Default
	// Agents are the policies of single agents, by agentname.Key, in the place of Policy.
	Agents map[string]window.Policy
	// Given has the names under which hosts know the agents of the configuration.
	Given spec.Spec
	// Corrections are how messages begin that correct an agent; nil: transcript.Corrections.
	Corrections []string
	// Limits are what requests that pass a proxy may use.
	Limits []config.LimitSet
	// CompactsAt returns at how many tokens the host of a session compacts automatically, as it is set for it: 0 where that is
	// switched off, and what says so, "" if nothing is set. nil: not known.
	CompactsAt func(s sessions.Session, window int) (at int, why string)
	// Window returns the window in tokens that a session's host gives its model, where that is not what the model has; 0: not
	// known. nil: no host's is.
	Window func(s sessions.Session) int
	// Tools returns what requests of a session carry of our own tools; nil, or nothing returned: not known.
	Tools func(s sessions.Session) *ledger.OwnTools
}

// settled fills in defaults.
func (s Settings) settled() Settings {
	if s.Models == nil {
		s.Models = tokens.Builtin()
	}
	if s.Policy == nil {
		p := window.Default()
		s.Policy = &p
	}
	if s.Corrections == nil {
		s.Corrections = transcript.Corrections()
	}
	return s
}

// of returns the settings of a tree; "" is the workspace. They are asked for each time: configurations change, and what
// reads them caches them.
func (o *Options) of(tree string) Settings {
	switch {
	case o.SettingsOf == nil:
		return o.Settings.settled()
	case tree == "":
		tree = o.Workspace
	}
	return o.SettingsOf(tree).settled()
}

// Settings returns the settings of a session: those of the tree that it ran in.
func (l *Ledger) Settings(s sessions.Session) Settings { return l.Options.of(s.Tree) }

// policyFor returns the policy for a reader of a session. Errors: invalid for a policy that is not valid.
func (l *Ledger) policyFor(s sessions.Session, r ledger.Reader) (window.Policy, error) {
	if r.Policy != nil {
		return r.Policy.With(r.Overrides), r.Policy.Check()
	}
	set := l.Settings(s)
	for _, name := range []string{r.Agent, s.Host} {
		if own, has := set.Agent(name); has {
			return own.With(r.Overrides), nil
		}
	}
	return set.Policy.With(r.Overrides), nil
}

// Agent returns the policy of an agent, by the configuration's name for it or a host's.
func (s Settings) Agent(name string) (window.Policy, bool) {
	if own, has := s.Agents[agentname.Key(name)]; has {
		return own, true
	}
	a, _ := s.Given.Find(name)
	own, has := s.Agents[agentname.Key(a.Name)]
	return own, has
}
