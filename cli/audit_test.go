package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/env"
)

// TestADirectoryWithoutSessionFilesNamesWhereTheyAre: `audit .` said only where agents keep them by default.
func TestADirectoryWithoutSessionFilesNamesWhereTheyAre(t *testing.T) {
	e := env.System()
	e.Home, e.Lookup = t.TempDir(), func(string) string { return "" }
	known, other := t.TempDir(), t.TempDir()
	kept := claudecode.ProjectDir(e, known)
	if err := os.MkdirAll(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	a := &action{Config: Config{Env: e}}
	for dir, want := range map[string]string{
		known:                       "`ctxledger audit " + kept + "` reads those that Claude Code keeps",
		other:                       "agents keep session files elsewhere: `ctxledger audit` reads those of all projects",
		filepath.Join(known, "sub"): "agents keep session files elsewhere: ",
	} {
		if got := keptElsewhere(a, []string{dir}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", dir, got)
		}
	}
}
