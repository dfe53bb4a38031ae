package version

import (
	"encoding/json"
	"os"
	"testing"
)

// TestTheExtensionHasTheVersionOfThePrograms compares them: a package holds both.
func TestTheExtensionHasTheVersionOfThePrograms(t *testing.T) {
	raw, err := os.ReadFile("../../vscode-extension/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Version string }
	if err := json.Unmarshal(raw, &m); err != nil || m.Version != Version {
		t.Errorf("the extension has version %q, the programs have %s; %v", m.Version, Version, err)
	}
}
