package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"ctxledger.dev/lab/installed"
	model "ctxledger.dev/lab/scriptedmodel"
)

// extension is where the scripts of a release are, and what they need from npm.
const extension = "../../vscode-extension"

// release is what `make release` makes of the built programs for this machine.
type release struct{ plugin, bundle string }

// released makes it, by the script of the release. It skips the test where agents are not installed, with which `make
// agents` installs the script's packages.
func released(t *testing.T) release {
	t.Helper()
	installed.Directory(t, model.AgentsVariable, "agents")
	if _, err := os.Stat(filepath.Join(extension, "node_modules", "yazl")); err != nil {
		t.Fatalf("%v: run `make agents`", err)
	}
	platform := system() + "-" + map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if runtime.GOARCH != "amd64" {
		platform += runtime.GOARCH
	}
	var about struct{ Version string }
	if err := json.Unmarshal(read(t, filepath.Join(extension, "package.json")), &about); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	built := filepath.Join(out, platform)
	if err := os.CopyFS(built, os.DirFS(bin)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(built, "THIRD_PARTY.txt"), "licences\n") // of the modules, which the release collects itself
	cmd := exec.CommandContext(deadlined(t), "node", filepath.Join(extension, "scripts", "agents.cjs"), out, platform,
		about.Version)
	cmd.Env = append(cmd.Environ(), "SOURCE_DATE_EPOCH=1700000000")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return release{plugin: filepath.Join(built, "claude-code-plugin"),
		bundle: filepath.Join(out, "ctxledger-"+about.Version+"-"+platform+".mcpb")}
}

// system is this one, as a release names it.
func system() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return runtime.GOOS
}
