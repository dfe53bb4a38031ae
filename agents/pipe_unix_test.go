//go:build unix

package agents

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A pipe that takes the place of a session file between listing and opening it once made the follower wait
// for a writer, and with it everybody who wanted the ledger.
func TestAPipeSwappedInForASessionFileIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	path, pipe, file := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(file, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	done, opened := make(chan struct{}), make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			_ = os.Link([]string{file, pipe}[i%2], path+".new")
			_ = os.Rename(path+".new", path)
		}
	})
	go func() {
		defer close(opened)
		for range 10_000 {
			if f, _, err := open(path); err == nil {
				f.Close()
			}
		}
	}()
	select {
	case <-opened:
	case <-time.After(20 * time.Second):
		t.Error("opening a session file waits for a pipe")
	}
	close(done)
	swapping.Wait()
}
