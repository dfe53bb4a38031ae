package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/chars"
)

// progress is a long work as a client shows it.
type progress struct {
	s     *Server
	token protocol.ProgressToken // nil: nobody shows it
}

// progress begins to show a work that reports how far it is, or only that it goes on: under the token of the
// request, or one that the client is asked to make. cancel ends the work.
func (s *Server) progress(ctx context.Context, token protocol.ProgressToken, title string, reports bool, cancel context.CancelFunc) *progress {
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
		p.token = nil // it shows another work
		return p
	}
	yes, zero := true, uint32(0)
	begin := &protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Cancellable: &yes}
	if reports {
		begin.Percentage = &zero
	}
	p.tell(begin)
	return p
}

// report shows how many bytes are done, of those that are known.
func (p *progress) report(done, of int64) {
	if of == 0 {
		return
	}
	percent := uint32(100 * min(done, of) / of)
	text := fmt.Sprintf("%s of %s MB", chars.Commas(done/1e6), chars.Commas(of/1e6))
	p.tell(&protocol.WorkDoneProgressReport{Kind: "report", Message: &text, Percentage: &percent})
}

// end shows that the work has ended.
func (p *progress) end() {
	p.tell(&protocol.WorkDoneProgressEnd{Kind: "end"})
	p.s.inFlight.remove(p.token)
}

// tell sends a value of the progress.
func (p *progress) tell(value any) {
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

// progressCancelMethod ends a work by its progress.
func progressCancelMethod() method {
	return notification("window/workDoneProgress/cancel", func(s *Server, p *protocol.WorkDoneProgressCancelParams) error {
		s.inFlight.cancel(p.Token)
		return nil
	})
}
