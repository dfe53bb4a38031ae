package config

import (
	"fmt"
	"strconv"
)

// Hooks say what the hooks of a coding agent do besides recording: the keys of hooks.
type Hooks struct {
	Environment bool // tell a session that begins the system, the directory and the time
	Memory      bool // tell a session that begins the memories
	Stale       bool // name files that others changed since the session read them
	Record      bool // tell a session that was compacted what the host's summary lost
	Summary     bool // say what the summary of a compaction has to keep
	Markers     bool // refuse a write that contains a marker
	Large       bool // replace large results of tools of MCP servers
	Outputs     bool // replace large outputs of commands
	Reads       bool // replace large files that were read whole
	Repeats     bool // replace results that the context has already
	Terminal    bool // replace the output of a command by what a terminal shows
}

// DefaultHooks returns what hooks do unless somebody says otherwise: what pays for itself in replay, or costs nothing
// where there is nothing to say. docs/hooks.md has the figures.
func DefaultHooks() Hooks {
	h := AllHooks()
	h.Outputs, h.Reads = false, false
	return h
}

// AllHooks returns everything that hooks can do.
func AllHooks() Hooks { return Hooks{true, true, true, true, true, true, true, true, true, true, true} }

// Results reports whether results are replaced.
func (h Hooks) Results() bool { return h.Large || h.Outputs || h.Reads || h.Repeats || h.Terminal }

// Compactions reports whether anything is said before a compaction.
func (h Hooks) Compactions() bool { return h.Summary }

// Prompts reports whether anything may be said with the user's words: what a compaction lost, or what the start of a
// session says and could not.
func (h Hooks) Prompts() bool { return h.Record || h.Memory || h.Environment }

func hookRules() []Rule {
	return []Rule{
		hookRule("environment", "a new session is given the `.gitignore`, and what its host does not tell it about the system and "+
			"the time", func(h *Hooks) *bool { return &h.Environment }),
		hookRule("memory", "a new session is given the memories", func(h *Hooks) *bool { return &h.Memory }),
		hookRule("stale", "the agent is told which files others changed since it read them",
			func(h *Hooks) *bool { return &h.Stale }),
		hookRule("record", "a compacted session is told what the ledger knows and the host's summary lacks",
			func(h *Hooks) *bool { return &h.Record }),
		hookRule("summary", "the model that writes the host's summary is told what it has to keep",
			func(h *Hooks) *bool { return &h.Summary }),
		hookRule("markers", "a write that contains a marker or a stub is refused",
			func(h *Hooks) *bool { return &h.Markers }),
		hookRule("large", "a large result of an MCP server's tool is replaced by a stub",
			func(h *Hooks) *bool { return &h.Large }),
		hookRule("outputs", "a command's large output is replaced by a stub, rather than by the part of it that the host shows",
			func(h *Hooks) *bool { return &h.Outputs }),
		hookRule("reads", "a large file that was read in full is replaced by a stub",
			func(h *Hooks) *bool { return &h.Reads }),
		hookRule("repeats", "a result that the context already has is replaced by a pointer",
			func(h *Hooks) *bool { return &h.Repeats }),
		hookRule("terminal", "the output of a command is replaced by what a terminal would show, if that is much shorter",
			func(h *Hooks) *bool { return &h.Terminal }),
	}
}

// hookRule returns the rule of one thing that hooks do.
func hookRule(key, doc string, at func(*Hooks) *bool) Rule {
	h := DefaultHooks()
	return Rule{Key: key, Kind: Bool, Default: strconv.FormatBool(*at(&h)), Doc: doc,
		into: func(t *target) any { return at(&t.config.Hooks) }}
}

// onlyOff switches those hooks, and reduce, off again that were not on before the document of a workspace, and says so: what
// costs, or changes what is sent, is not switched on by a repository.
func (p *parser) onlyOff(c *Config, before Config) {
	was := &target{config: &before}
	check := func(r Rule, key, what string) {
		on := r.into(&target{config: c}).(*bool)
		if !*on || *r.into(was).(*bool) {
			return
		}
		*on = false
		problem := p.at(p.set[key], Warning, "CFG601",
			fmt.Sprintf("%s: true has no effect here: a workspace's file can %s", key, what))
		problem.Hint = "write it in your own file"
		if p.own != "" {
			problem.Hint += ", " + p.own
		}
		delete(p.set, key) // it is not where the value comes from
	}
	for _, r := range hookRules() {
		check(r, join("hooks", r.Key), "switch hooks off, but only your own can turn on costly ones")
	}
	check(*Find(topRules(), "reduce"), "reduce", "switch it off, but only your own can turn on what changes requests")
}
