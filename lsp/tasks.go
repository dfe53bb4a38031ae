package lsp

import (
	"context"
	"sync"
)

// tasks are the server's background tasks.
type tasks struct {
	mu      sync.Mutex
	over    bool // guarded by mu; no further task starts
	running sync.WaitGroup
}

// begin starts a task, unless the server has ended.
func (t *tasks) begin(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.running.Go(do)
	}
}

// wait lets no further task start and waits for those that run, but at most clientPatience: a write to a client that
// does not read cannot be interrupted.
func (t *tasks) wait() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
	ended, stop := context.WithTimeout(context.Background(), clientPatience)
	go func() {
		defer stop()
		t.running.Wait()
	}()
	<-ended.Done()
}
