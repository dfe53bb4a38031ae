package lsp

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
)

// progress reports long work to a client.
type progress struct {
	s     *Server
	token protocol.ProgressToken // nil: not shown
}

// progress starts reporting work, in percent if reports is set: under the token of the request, or one that the client
// creates. cancel ends the work.
func (s *Server) progress(ctx context.Context, token protocol.ProgressToken, title string, reports bool,
	cancel context.CancelFunc) *progress {
	if token == nil && s.caps.progress {
		made := protocol.String("ctxledger-" + s.o.Env.ID(4))
		waiting, stop := context.WithTimeout(ctx, clientPatience)
		defer stop()
		if s.client.WorkDoneProgressCreate(waiting, &protocol.WorkDoneProgressCreateParams{Token: made}) == nil {
			token = made
		}
	}
	p := &progress{s, token}
	if token == nil {
		return p
	}
	if s.inFlight.add(token, cancel) != nil {
		p.token = nil // the token is in use
		return p
	}
	yes, zero := true, uint32(0)
	begin := &protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Cancellable: &yes}
	if reports {
		begin.Percentage = &zero
	}
	p.send(begin)
	return p
}

// report reports how many bytes are done, of those found so far.
func (p *progress) report(done, of int64) {
	if of == 0 {
		return
	}
	percent := uint32(100 * min(done, of) / of)
	text := fmt.Sprintf("%s of %s MB", chars.Commas(done/1e6), chars.Commas(of/1e6))
	p.send(&protocol.WorkDoneProgressReport{Kind: "report", Message: &text, Percentage: &percent})
}

// reportEvery is the interval of progress reports.
const reportEvery = 100 * time.Millisecond

// follow reports how many bytes are done, until the function that it returns is called.
func (p *progress) follow(ctx context.Context, done, found *atomic.Int64) (stop func()) {
	reported := make(chan struct{})
	working, cancel := context.WithCancel(ctx)
	go func() {
		defer close(reported)
		for env.Sleep(working, reportEvery); working.Err() == nil; env.Sleep(working, reportEvery) {
			p.report(done.Load(), found.Load())
		}
	}()
	return func() { cancel(); <-reported }
}

// end reports the end of the work.
func (p *progress) end() {
	p.send(&protocol.WorkDoneProgressEnd{Kind: "end"})
	p.s.inFlight.remove(p.token)
}

// send sends one progress value.
func (p *progress) send(value any) {
	if p.token == nil {
		return
	}
	raw, err := protocol.Marshal(value)
	if err == nil {
		err = p.s.client.Progress(p.s.life, &protocol.ProgressParams{Token: p.token, Value: raw})
	}
	if err != nil {
		p.s.o.Log.Warn("progress", "why", err.Error())
	}
}

// cancelProgress cancels work by its progress token.
func (s *Server) cancelProgress(p *protocol.WorkDoneProgressCancelParams) error {
	s.inFlight.cancel(p.Token)
	return nil
}
