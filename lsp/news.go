package lsp

import (
	"context"
	"maps"
	"slices"
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

	mu   sync.Mutex
	next lot // guarded by mu
}

// lot is what is told together.
type lot struct {
	settings  bool             // there may be others: the client is to be asked
	refresh   bool             // what is shown of all documents may have changed
	changed   bool             // something happened in the ledger
	contents  bool             // a person had something of the ledger changed
	documents map[uri.URI]bool // that were opened, edited or closed
}

func newNews() *news {
	return &news{bell: make(chan struct{}, 1), next: lot{documents: map[uri.URI]bool{}}}
}

// ring wakes who tells.
func (n *news) ring() {
	select {
	case n.bell <- struct{}{}:
	default: // it rings already
	}
}

// note puts something into the next lot.
func (n *news) note(change func(*lot)) {
	n.mu.Lock()
	change(&n.next)
	n.mu.Unlock()
	n.ring()
}

// settings notes that the client may have other settings.
func (n *news) settings() { n.note(func(l *lot) { l.settings = true }) }

// all notes that what is shown of all documents may have changed.
func (n *news) all() { n.note(func(l *lot) { l.refresh = true }) }

// ledger notes that what the ledger holds may have changed.
func (n *news) ledger() { n.note(func(l *lot) { l.changed = true }) }

// contents notes that documents of the ledger are not what they were.
func (n *news) contents() { n.note(func(l *lot) { l.contents = true }) }

// of notes that a document has changed.
func (n *news) of(u uri.URI) { n.note(func(l *lot) { l.documents[u] = true }) }

// take returns what is to be told, and forgets it.
func (n *news) take() lot {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.next
	n.next = lot{documents: map[uri.URI]bool{}}
	return l
}

// tellNews tells the client what changes: at once what comes after a pause, together what comes in one; that the ledger
// changed has a longer one. Nothing else asks the client for anything unasked, and it asks for one thing after the
// other: so their order holds, and the client ends with the last of many changes.
func (s *Server) tellNews() {
	t := teller{Server: s, reported: map[uri.URI]uri.URI{}, registered: map[string]bool{}}
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.news.bell:
		case <-t.resting:
			t.resting = nil
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
	status     Status
	reported   map[uri.URI]uri.URI // documents with diagnostics, as the client spells them
	registered map[string]bool     // methods, by their names in offers
	changed    bool                // it is to be told that the ledger changed
	resting    <-chan time.Time    // tells when that may be told again; nil: now
}

// tell tells one lot of news.
func (t *teller) tell(l lot) {
	if l.settings {
		t.pullSettings()
	}
	t.register()
	t.tellStatus()
	t.changed = t.changed || l.changed
	t.tellChanged()
	if l.contents {
		t.readAgain()
	}
	if l.refresh {
		t.askAgain()
		for _, d := range t.Server.documents.all() {
			l.documents[d.uri] = true
		}
	}
	if !t.able.pull {
		for _, u := range slices.Sorted(maps.Keys(l.documents)) {
			t.publish(u)
		}
	}
}

// askAgain has the client ask again for what it is offered, as far as it said that it does that.
func (t *teller) askAgain() {
	for _, o := range offers() {
		switch {
		case !t.offered(o):
		case o.name == "codeLens" && t.able.refresh.lenses:
			t.ask("lenses", t.client.CodeLensRefresh)
		case o.name == "inlayHint" && t.able.refresh.hints:
			t.ask("hints", t.client.InlayHintRefresh)
		case o.name == "diagnostic" && t.able.refresh.diagnostics:
			t.ask("diagnostics", t.client.DiagnosticRefresh)
		}
	}
}

// ask asks the client for something, and waits until it has answered. What fails is in the log.
func (t *teller) ask(what string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(t.life, clientPatience)
	defer cancel()
	if err := do(ctx); err != nil && t.life.Err() == nil {
		t.o.Log.Warn("asking the client", "for", what, "why", err.Error())
	}
}
