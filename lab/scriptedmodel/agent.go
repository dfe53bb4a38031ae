package scriptedmodel

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"ctxledger.dev/lab/installed"
)

// AgentsVariable names the environment variable with the directory of the installed agents, one below each name, as
// `make agents` makes it.
const AgentsVariable = "CTXLEDGER_AGENTS"

// Claude is the agent that every run of the tests has. It is a program of its own; others run on Node.
const Claude = "claude"

// makefile says which versions are installed. It is where tests of the packages below lab find it.
const makefile = "../../Makefile"

// Agent returns the path of an installed agent. It skips the test if the variable is not set. An agent that is missing, or
// of another version than the Makefile names, fails the test.
func Agent(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(agents(t), name, "node_modules", ".bin", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run `make agents`", err)
	}
	if got, want := packaged(t, path), Pinned(t, name); got != want {
		t.Fatalf("%s is %s, and the Makefile installs %s: run `make agents`", path, got, want)
	}
	return path
}

// Node returns the directory of the Node that agents in JavaScript run on, for their PATH. It is an error if there is none,
// or another version than the Makefile names: agents are installed with it.
func Node(t testing.TB) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(agents(t), "node", "node_modules", "node-*", "bin"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("the Node of the agents is in %q, %v: run `make agents`", paths, err)
	}
	if got, want := packaged(t, paths[0]), Pinned(t, "NODE"); got != want {
		t.Fatalf("%s is of Node %s, and the Makefile installs %s: run `make agents`", paths[0], got, want)
	}
	return paths[0]
}

// Pinned returns the version of an agent that the Makefile installs, or of NODE.
func Pinned(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(makefile)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`\b` + name + `(?::@?[\w@/-]+@|_VERSION := )([\d.]+)`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("the Makefile has no version of %s", name)
	}
	return string(m[1])
}

// agents returns the directory of the installed agents, or skips the test.
func agents(t testing.TB) string {
	t.Helper()
	return installed.Directory(t, AgentsVariable, "agents")
}

// packaged returns the version of the package of npm that a file is in.
func packaged(t testing.TB, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	for err == nil && filepath.Dir(path) != path {
		var about struct{ Version string }
		raw, no := os.ReadFile(filepath.Join(path, "package.json"))
		if no == nil {
			err = json.Unmarshal(raw, &about)
		}
		if about.Version != "" {
			return about.Version
		}
		path = filepath.Dir(path)
	}
	t.Fatalf("%s is in no package: %v", path, err)
	return ""
}
