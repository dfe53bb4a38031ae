package daemon

import (
	"os"
	"testing"
)

func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func pause(t *testing.T, _ int) { t.Helper(); t.Skip("no process can be stopped here") }

func resume(*testing.T, int) {}
