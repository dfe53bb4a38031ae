package scriptedmodel

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheVariableNamesTheAgent(t *testing.T) {
	t.Setenv(AgentVariable, "/opt/claude")
	if got := Agent(t); got != "/opt/claude" {
		t.Errorf("Agent = %q", got)
	}
}

func TestTheModuleRootIsTheNearestOne(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := moduleRoot(deep); got != deep {
		t.Errorf("without a module: %q, want %q", got, deep)
	}
	if err := os.WriteFile(filepath.Join(top, "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := moduleRoot(deep); got != top {
		t.Errorf("moduleRoot = %q, want %q", got, top)
	}
}
