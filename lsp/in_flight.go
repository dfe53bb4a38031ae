package lsp

import (
	"context"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// maxInFlight bounds the requests in flight. Editors have a handful.
const maxInFlight = 1000

// inFlight holds the cancel functions of requests in flight by jsonrpc2.ID, and of work with progress by
// protocol.ProgressToken. The client is not written to while mu is held, because cancelling waits for mu.
type inFlight struct {
	mu      sync.Mutex
	cancels map[any]context.CancelFunc // guarded by mu
}

// add registers a cancel function. Errors: invalid request for a key that is in flight; request failed for too many.
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

// remove removes what has ended.
func (f *inFlight) remove(key any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.cancels, key)
}

// cancel cancels the request or work with a key, if it is in flight.
func (f *inFlight) cancel(key any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cancel := f.cancels[key]; cancel != nil {
		cancel()
	}
}
