//go:build unix

package launch_test

import (
	"bufio"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/proxy/launch"
)

// TestTheAgentGetsSignals: one that ends us ends the agent, and nothing else; the proxy goes when the agent has.
func TestTheAgentGetsSignals(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		status, err := launch.Run(t.Context(), launch.Options{Env: env.System(), Agent: []string{own, "-wait"},
			Proxy: []string{own, "-proxy", t.TempDir()}, In: strings.NewReader(""), Out: in, Err: io.Discard})
		if err != nil {
			t.Error(err)
		}
		in.Close()
		ended <- status
	}()
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	// The terminal sends an interrupt to the agent as well: it decides.
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	if status := <-ended; status != 1 {
		t.Errorf("status %d", status)
	}
}
