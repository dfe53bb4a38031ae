package process_test

import (
	"os"
	"os/exec"
	"testing"

	"ctxledger.dev/internal/process"
)

// TestAProcessLivesUntilItHasEnded asks about a program while it waits and when it has gone, and about what is none.
func TestAProcessLivesUntilItHasEnded(t *testing.T) {
	for _, pid := range []int{0, -1, 1 << 30} {
		if process.Alive(pid) {
			t.Errorf("there is a process %d", pid)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(self, "-test.run=^TestChild$")
	program.Env = []string{child + "=1"}
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	if pid := program.Process.Pid; !process.Alive(pid) || !process.Alive(os.Getpid()) {
		t.Errorf("%d, which has been started, or %d, which asks, is not alive", pid, os.Getpid())
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Fatal(err)
	}
	if process.Alive(program.Process.Pid) {
		t.Error("it is alive, after its end")
	}
}

// child is the environment variable of a program that waits for the end of its input.
const child = "CTXLEDGER_TEST_CHILD"

// TestChild is that program.
func TestChild(t *testing.T) {
	if os.Getenv(child) == "" {
		t.Skip("only for TestAProcessLivesUntilItHasEnded")
	}
	if _, err := os.Stdin.Read(make([]byte, 1)); err == nil {
		t.Error("something was said")
	}
}
