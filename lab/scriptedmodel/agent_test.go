package scriptedmodel

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheVariableNamesTheAgents(t *testing.T) {
	top := t.TempDir()
	t.Setenv(AgentsVariable, top)
	want := filepath.Join(top, Claude, "node_modules", ".bin", Claude)
	if err := os.MkdirAll(filepath.Dir(want), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(want, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := Agent(t, Claude); got != want {
		t.Errorf("Agent = %q, want %q", got, want)
	}
}
