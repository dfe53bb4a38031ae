package lsp

import (
	"context"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// maxFlights is how many calls may be under way. Editors have a handful.
const maxFlights = 1000

// flights are the calls under way.
type flights struct {
	mu   sync.Mutex
	ends map[jsonrpc2.ID]context.CancelFunc // guarded by mu
}

// start returns the context of a call, and what ends it. Errors: invalid request for an id that is under
// way, or too many calls.
func (f *flights) start(life context.Context, id jsonrpc2.ID) (context.Context, func(), error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.ends) == maxFlights {
		return nil, nil, jsonrpc2.Errorf(requestFailed, "%d requests are under way: wait for their answers", maxFlights)
	}
	if f.ends[id] != nil {
		return nil, nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "a request with this id is under way")
	}
	if f.ends == nil {
		f.ends = map[jsonrpc2.ID]context.CancelFunc{}
	}
	ctx, end := context.WithCancel(life)
	f.ends[id] = end
	return ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.ends, id)
		end()
	}, nil
}

// cancel ends a call, if it is under way.
func (f *flights) cancel(id jsonrpc2.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if end := f.ends[id]; end != nil {
		end()
	}
}
