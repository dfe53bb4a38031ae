package archtest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgramsThatStartOftenLinkLittle asks the go command what they are made of, through any import.
func TestProgramsThatStartOftenLinkLittle(t *testing.T) {
	for _, l := range light {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+"/"+l.program).Output()
		packages := strings.Fields(string(out))
		if err != nil || len(packages) < 100 {
			t.Fatalf("%s: %d packages, %v", l.program, len(packages), err)
		}
		for _, p := range packages {
			for _, not := range l.without {
				if p == not || strings.HasPrefix(p, not+"/") {
					t.Errorf("%s links %s: %s. `go list -deps` says through what", l.program, p, l.why)
				}
			}
		}
	}
}

// TestTheProgramForHooksOwnsNoLedger: it imports what an owner is made of, and links nothing of it that runs, which is half
// of its size.
func TestTheProgramForHooksOwnsNoLedger(t *testing.T) {
	program := filepath.Join(t.TempDir(), "ctxhook")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, module+"/cmd/ctxhook")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), "go", "tool", "nm", program).Output()
	if err != nil || !strings.Contains(string(out), module+"/engine/daemon.(*client).roundTrip") {
		t.Fatalf("%v, %d bytes", err, len(out))
	}
	for _, not := range []string{module + "/engine.Open", "go.etcd.io/bbolt.Open", "net/http.(*Client).Do"} {
		if strings.Contains(string(out), " "+not+"\n") {
			t.Errorf("ctxhook links %s", not)
		}
	}
}
