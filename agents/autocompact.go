package agents

import (
	"cmp"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/sessions"
)

// AutoCompact returns at how many tokens the agent of a session compacts by itself, as it is set for it, of sessions
// whose tree is not known in a tree: see claudecode.AutoCompact. Of other agents nothing is known.
func AutoCompact(e env.Env, tree string) func(s sessions.Session, window int) (at int, why string) {
	return func(s sessions.Session, window int) (int, string) {
		if s.Host != string(sessionfile.ClaudeCode) {
			return 0, ""
		}
		return claudecode.AutoCompact(e, cmp.Or(s.Tree, tree), s.Model, window)
	}
}
