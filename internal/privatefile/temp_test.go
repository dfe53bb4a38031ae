package privatefile_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/internal/privatefile"
)

// TestATemporaryFileIsAbandonedWhenItsProcessHasEnded, or when it is too old for one; what others named otherwise never is.
func TestATemporaryFileIsAbandonedWhenItsProcessHasEnded(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(self, "-test.run=^$")
	if err := program.Run(); err != nil {
		t.Fatal(err)
	}
	ended := fmt.Sprintf("%016x", program.Process.Pid)
	now := time.Now()
	for _, c := range []struct {
		name, of string
		age      time.Duration
		want     bool
	}{
		{privatefile.Temp("a.json", "0f"), "a.json", 0, false},
		{privatefile.Temp("a.json", "0f"), "a.json", time.Hour, true},
		{".a.json." + ended + "12.tmp", "a.json", 0, true},
		{".a.json." + ended + ".tmp", "", 0, true},
		{".a.json.fedcba9876543210.tmp", "a.json", 0, true}, // no process has such an id
		{".b.a.json." + ended + "12.tmp", "a.json", 0, false},
		{".a.json.1234567890.tmp", "a.json", time.Hour, false},
		{".a.json.tmp", "", time.Hour, false},
		{"a.json." + ended + ".tmp", "", time.Hour, false},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-c.age)); err != nil {
			t.Fatal(err)
		}
		all, err := os.ReadDir(dir)
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		if got := privatefile.Abandoned(all[0], c.of, now); got != c.want {
			t.Errorf("%s next to %q, %s old: %v", c.name, c.of, c.age, got)
		}
	}
}
