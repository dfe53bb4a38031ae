package lsp

import (
	"context"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// maxInFlight bounds the requests in flight. Editors have a handful.
const maxInFlight = 1000

// inFlight holds what is in flight and can be cancelled: requests by their jsonrpc2.ID, and work with progress by its
// protocol.ProgressToken. Nothing is written to the client while mu is held, because cancelling waits for it.
type inFlight struct {
	mu      sync.Mutex
	cancels map[any]context.CancelFunc // guarded by mu
}

// add notes what cancels a request or work. Errors: invalid request for a key that is in flight; too many of them.
func (f *inFlight) add(key any, cancel context.CancelFunc) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.cancels) == maxInFlight {
		return jsonrpc2.Errorf(requestFailed, "%d requests are under way: wait for their answers", maxInFlight)
	}
	if f.cancels[key] != nil {
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "a request with this id is under way")
	}
	if f.cancels == nil {
		f.cancels = map[any]context.CancelFunc{}
	}
	f.cancels[key] = cancel
	return nil
}

// remove forgets what has ended.
func (f *inFlight) remove(key any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.cancels, key)
}

// cancel cancels what is in flight under a key, if anything is.
func (f *inFlight) cancel(key any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cancel := f.cancels[key]; cancel != nil {
		cancel()
	}
}
