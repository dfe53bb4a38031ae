package scriptedmodel

import (
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/internal/env"
)

// AgentVariable names the environment variable with the path of the agent to test with.
const AgentVariable = "CTXLEDGER_CLAUDE"

// agentPath is where `make agents` puts the agent, below the module's root.
const agentPath = ".cache/agents/claude/node_modules/.bin/claude"

// Agent returns the path of an installed Claude Code: the one AgentVariable names, or the one in
// this module's cache. It skips the test where there is none.
func Agent(t testing.TB) string {
	t.Helper()
	e := env.System()
	if path := e.Lookup(AgentVariable); path != "" {
		return path
	}
	path := filepath.Join(moduleRoot(e.Dir), filepath.FromSlash(agentPath))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no Claude Code to test with: run `make agents`, or set %s to its path", AgentVariable)
	}
	return path
}

// moduleRoot returns the nearest directory from dir upwards that holds a go.mod, or dir.
func moduleRoot(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}
