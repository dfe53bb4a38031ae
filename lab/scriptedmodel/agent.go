package scriptedmodel

import (
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/internal/env"
)

// AgentsVariable names the environment variable with the directory of the installed agents, one below each name, as
// `make agents` makes it.
const AgentsVariable = "CTXLEDGER_AGENTS"

// Claude is the agent that every run of the tests has.
const Claude = "claude"

// Agent returns the path of an installed agent. It skips the test if the variable is not set or the agent is not
// installed, but fails it without Claude Code: `make test` installs that one.
func Agent(t testing.TB, name string) string {
	t.Helper()
	dir := env.System().Lookup(AgentsVariable)
	if dir == "" {
		t.Skipf("no agents to test with: run `make agents`, and set %s to .cache/agents", AgentsVariable)
	}
	path := filepath.Join(dir, name, "node_modules", ".bin", name)
	switch _, err := os.Stat(path); {
	case err == nil:
	case name == Claude:
		t.Fatal(err)
	default:
		t.Skipf("%s is not installed: run `make all-agents`", name)
	}
	return path
}
