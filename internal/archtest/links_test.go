package archtest

import (
	"os/exec"
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
