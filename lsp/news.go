package lsp

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/uri"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/lsp/live"
)

// clientPatience is how long a client may take to answer what the server asks.
const clientPatience = 5 * time.Second

// news is what clients are to be told of unasked, until it is told.
type news struct {
	bell chan struct{} // holds one: there is something

	mu        sync.Mutex
	refresh   bool             // guarded by mu; what is shown of all documents may have changed
	changed   bool             // guarded by mu; something happened in the ledger
	documents map[uri.URI]bool // guarded by mu; that were opened, edited or closed
}

// lot is the news that are told together.
type lot struct {
	refresh, changed bool
	documents        map[uri.URI]bool
}

func newNews() *news { return &news{bell: make(chan struct{}, 1), documents: map[uri.URI]bool{}} }

// ring wakes who tells.
func (n *news) ring() {
	select {
	case n.bell <- struct{}{}:
	default: // it rings already
	}
}

// all notes that what is shown of all documents may have changed.
func (n *news) all() {
	n.mu.Lock()
	n.refresh = true
	n.mu.Unlock()
	n.ring()
}

// ledger notes that what the ledger holds may have changed.
func (n *news) ledger() {
	n.mu.Lock()
	n.changed = true
	n.mu.Unlock()
	n.ring()
}

// of notes that a document has changed.
func (n *news) of(u uri.URI) {
	n.mu.Lock()
	n.documents[u] = true
	n.mu.Unlock()
	n.ring()
}

// take returns what is to be told, and forgets it.
func (n *news) take() lot {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := lot{n.refresh, n.changed, n.documents}
	n.refresh, n.changed, n.documents = false, false, map[uri.URI]bool{}
	return l
}

// tellNews tells the client what changes: at once what comes after a pause, together what comes in one.
func (s *Server) tellNews() {
	t := teller{Server: s, reported: map[uri.URI]uri.URI{}}
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.news.bell:
		}
		l := s.news.take()
		if _, err := guarded("news", func() (struct{}, error) { t.tell(l); return struct{}{}, nil }); err != nil {
			_ = s.wireError("news", err) // it is in the log now
		}
		env.Sleep(s.life, live.Pause)
	}
}

// teller is what the client was told.
type teller struct {
	*Server
	status   Status
	reported map[uri.URI]uri.URI // documents with diagnostics, as the client spells them
}

// tell tells one lot of news.
func (t *teller) tell(l lot) {
	t.tellStatus()
	if l.changed {
		t.tellChanged()
	}
	if l.refresh {
		t.askAgain()
		for _, d := range t.Server.documents.all() {
			l.documents[d.uri] = true
		}
	}
	if !t.able.pull {
		for u := range l.documents {
			t.publish(u)
		}
	}
}

// askAgain has the client ask again for what it shows, as far as it said that it does that.
func (t *teller) askAgain() {
	settings := t.known().settings
	for _, ask := range []struct {
		wanted bool
		do     func(context.Context) error
	}{
		{t.able.refresh.lenses && settings.Lens != showOff, t.client.CodeLensRefresh},
		{t.able.refresh.hints && settings.Hints > 0, t.client.InlayHintRefresh},
		{t.able.refresh.diagnostics && t.able.pull && len(settings.Diagnostics) > 0, t.client.DiagnosticRefresh},
	} {
		if !ask.wanted {
			continue
		}
		ctx, cancel := context.WithTimeout(t.life, clientPatience)
		if err := ask.do(ctx); err != nil && t.life.Err() == nil {
			t.o.Log.Warn("refresh", "why", err.Error())
		}
		cancel()
	}
}
