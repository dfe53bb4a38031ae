package lsp

import (
	"context"
	"sync"
)

// tasks are what goes on beside answering.
type tasks struct {
	mu    sync.Mutex
	n     int           // guarded by mu; under way
	over  bool          // guarded by mu; none begins any more
	ended chan struct{} // closed when all have ended and none begins any more
}

func newTasks() *tasks { return &tasks{ended: make(chan struct{})} }

// begin begins a task, unless the server has ended.
func (t *tasks) begin(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.n++
	go func() {
		defer t.end()
		do()
	}()
}

// end notes that a task has ended.
func (t *tasks) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n--
	t.settle()
}

// settle tells who waits that nothing is under way. t.mu is held.
func (t *tasks) settle() {
	if t.over && t.n == 0 {
		close(t.ended)
	}
}

// wait lets no more tasks begin, and waits for those under way; only so long for one that writes to a client which does
// not read, since nothing can interrupt it. It is called once.
func (t *tasks) wait() {
	t.mu.Lock()
	t.over = true
	t.settle()
	t.mu.Unlock()
	patience, stop := context.WithTimeout(context.Background(), clientPatience)
	defer stop()
	select {
	case <-t.ended:
	case <-patience.Done():
	}
}
