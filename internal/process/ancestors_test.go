package process_test

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"

	"ctxledger.dev/internal/process"
)

// TestAProcessDescendsFromWhoStartedIt starts a program with a hostile name.
func TestAProcessDescendsFromWhoStartedIt(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := t.TempDir() + "/a) Z 1 (b"
	if err := os.Link(self, name); err != nil {
		t.Skip(err) // another file system
	}
	program := exec.Command(name, "-test.run=^TestChild$")
	program.Env = []string{child + "=1"}
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	pid, me := program.Process.Pid, os.Getpid()
	known := runtime.GOOS == "linux" || runtime.GOOS == "darwin"
	above := process.Ancestors(pid)
	if known && (len(above) < 2 || above[0] != me || above[1] != os.Getppid() || slices.Contains(above, pid)) {
		t.Errorf("%d, started by %d, which %d started, descends from %v", pid, me, os.Getppid(), above)
	}
	if a, b := process.Start(pid), process.Start(me); known && (a == "" || b == "" || a != process.Start(pid)) {
		t.Errorf("they began at %q and %q", a, b)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{pid, 0, -1, 1 << 30} {
		if above, start := process.Ancestors(pid), process.Start(pid); above != nil || start != "" {
			t.Errorf("%d, which is no process, descends from %v since %q", pid, above, start)
		}
	}
}
