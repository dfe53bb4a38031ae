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

// clientPatience is how long the server waits for the client's answer to a request.
const clientPatience = 5 * time.Second

// pending collects changes that the client has not been notified of.
type pending struct {
	signal chan struct{} // buffered, one slot: there may be a batch

	mu   sync.Mutex
	next batch // guarded by mu
}

// batch is the set of changes that one notification round covers.
type batch struct {
	settings  bool             // the client may have new settings: ask for them
	refresh   bool             // what is shown of every document may have changed
	sections  bool             // the sections of a document changed, and its text did not
	changed   bool             // the ledger changed
	contents  bool             // a command changed documents of the ledger
	documents map[uri.URI]bool // opened, edited or closed
}

func newPending() *pending {
	return &pending{signal: make(chan struct{}, 1), next: batch{documents: map[uri.URI]bool{}}}
}

// wake starts a round, also when there is no change.
func (p *pending) wake() {
	select {
	case p.signal <- struct{}{}:
	default: // already signalled
	}
}

// add puts a change into the next batch.
func (p *pending) add(change func(*batch)) {
	p.mu.Lock()
	change(&p.next)
	p.mu.Unlock()
	p.wake()
}

func (p *pending) settings() { p.add(func(b *batch) { b.settings = true }) }

func (p *pending) refresh() { p.add(func(b *batch) { b.refresh = true }) }

func (p *pending) sections() { p.add(func(b *batch) { b.sections = true }) }

func (p *pending) ledger() { p.add(func(b *batch) { b.changed = true }) }

func (p *pending) contents() { p.add(func(b *batch) { b.contents = true }) }

func (p *pending) document(u uri.URI) { p.add(func(b *batch) { b.documents[u] = true }) }

// take returns the next batch and starts an empty one.
func (p *pending) take() batch {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.next
	p.next = batch{documents: map[uri.URI]bool{}}
	return b
}

// notify tells the client about changes until the server ends: a first change at once, further ones batched by
// live.Pause. It is the only source of unsolicited messages and sends them one by one, so their order holds and the
// client ends up with the newest state.
func (s *Server) notify() {
	n := notifierOf(s)
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.pending.signal:
		case <-n.holdOff:
			n.holdOff = nil
		}
		b := s.pending.take()
		if _, err := guarded("notify", func() (struct{}, error) { n.send(b); return struct{}{}, nil }); err != nil {
			_ = s.wireError("notify", err) // logs it
		}
		env.Sleep(s.life, live.Pause/2)
		if s.o.Rest != nil {
			s.o.Rest()
		}
		env.Sleep(s.life, live.Pause/2)
	}
}

// notifier holds what the client has been told.
type notifier struct {
	*Server
	statuses   map[*folder]string   // by folder, as JSON
	reported   map[uri.URI]reported // documents with diagnostics
	registered map[string]bool      // methods, by their names in offers
	changed    bool                 // ctxledger/changed is due
	holdOff    <-chan time.Time     // ends the pause after the last ctxledger/changed; nil: no pause
}

func notifierOf(s *Server) *notifier {
	return &notifier{Server: s, statuses: map[*folder]string{}, reported: map[uri.URI]reported{},
		registered: map[string]bool{}}
}

// send notifies the client of one batch.
func (n *notifier) send(b batch) {
	if b.settings {
		n.pullSettings()
	}
	added := n.register()
	for _, f := range n.all() {
		n.sendStatus(f)
	}
	n.changed = n.changed || b.changed
	n.sendChanged()
	if b.contents {
		n.refreshContents()
	}
	n.refreshViews(func(o offer) bool {
		return b.refresh || added[o.name] || b.sections && o.name == "inlayHint"
	})
	if b.refresh {
		for _, d := range n.Server.documents.all() {
			if _, asked := b.documents[d.uri]; !asked {
				b.documents[d.uri] = false
			}
		}
	}
	for _, u := range slices.Sorted(maps.Keys(b.documents)) {
		if !n.caps.pull || n.tells(u) {
			n.publish(u, b.documents[u])
		}
	}
}

// refreshViews has the client request lenses, hints and diagnostics again, as far as it supports that: those that have
// changed. After a registration that is all there is, and clients like Neovim do not request it by themselves.
func (n *notifier) refreshViews(changed func(offer) bool) {
	for _, o := range offers() {
		switch {
		case !n.offered(o) || !changed(o):
		case o.name == "codeLens" && n.caps.refresh.lenses:
			n.request("lenses", n.client.CodeLensRefresh)
		case o.name == "inlayHint" && n.caps.refresh.hints:
			n.request("hints", n.client.InlayHintRefresh)
		case o.name == "diagnostic" && n.caps.refresh.diagnostics:
			n.request("diagnostics", n.client.DiagnosticRefresh)
		}
	}
}

// request sends a request to the client and waits for the answer. Errors are logged.
func (n *notifier) request(what string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(n.life, clientPatience)
	defer cancel()
	if err := do(ctx); err != nil && n.life.Err() == nil {
		n.o.Log.Warn("asking the client", "for", what, "why", err.Error())
	}
}
