package mcp

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// taken returns the share that an answer takes of what a client passes on; above 1 it does not arrive whole. With structured results
// clients pass on either form or both.
func (s *Server) taken(r registry.Client, a reply) float64 {
	if r.Size == nil {
		return 0
	}
	text := a.text
	if s.o.Structured {
		text += plainJSON(a.value)
	}
	share := float64(r.Size(text)) / float64(r.Most)
	if r.Lines > 0 {
		share = max(share, float64(strings.Count(text, "\n")+1)/float64(r.Lines))
	}
	return share
}

// readPage returns the part of a text that is asked for, or as much of its beginning as the client passes on whole, and the
// call that reads on.
func (c *call) readPage(ctx context.Context, r ledger.ReadArtifactRequest) (reply, error) {
	for asked := r.Limit; ; {
		page, err := c.read(ctx, r)
		if err != nil {
			return reply{}, err
		}
		a := c.shown(r, page, asked)
		share := c.taken(registry.ClientOf(c.client), a)
		if share <= 1 || r.Limit == 1 {
			return a, nil
		}
		const spare = 0.95 // a line that does not fit goes as a whole, and the next call may be longer
		r.Limit = max(1, int(float64(utf8.RuneCountInString(page.Text))/share*spare))
	}
}

// whole returns an answer as the client passes it on whole: one that is too long is kept for read_artifact, and its first page
// is returned. A structured one stays: a program reads it; and so does one for a client of which the next call knows nothing.
func (c *call) whole(ctx context.Context, a reply) (reply, error) {
	if c.once || c.o.Structured {
		return a, nil
	}
	if a.text = a.said(); c.taken(registry.ClientOf(c.client), a) <= 1 {
		return a, nil
	}
	erased, err := ledger.Erased(ctx, c.api)
	if err != nil {
		return reply{}, err
	}
	id := answerPrefix + c.o.Env.ID(4)
	c.long.put(longAnswer{id, a.text, erased})
	return c.readPage(ctx, ledger.ReadArtifactRequest{ID: id})
}

// read returns a page of an answer that is kept, or of what the ledger has.
func (c *call) read(ctx context.Context, r ledger.ReadArtifactRequest) (artifacts.Page, error) {
	if !strings.HasPrefix(r.ID, answerPrefix) {
		return c.api.ReadArtifact(ctx, r)
	}
	erased, err := ledger.Erased(ctx, c.api)
	if err != nil {
		return artifacts.Page{}, err
	}
	text, ok := c.long.get(r.ID, erased)
	if !ok {
		if page, err := c.api.ReadArtifact(ctx, r); err == nil { // saved under such a name
			return page, nil
		}
		return artifacts.Page{}, fault.New(fault.NotFound, "mcp.answer", "%.1000q is no longer kept", r.ID).
			WithHint("call the tool that returned it again")
	}
	return artifacts.Read(artifacts.Text([]byte(text)), r.Selection)
}

const (
	answerPrefix = "answer-" // begins the ids of answers that are kept: they are no handles of the ledger
	keptAnswers  = 4         // the newest: an agent reads on at once
)

// longAnswers are the newest answers that a client would not have passed on whole. They are only in memory, and those from
// before something was forgotten are dropped.
type longAnswers struct {
	mu   sync.Mutex
	kept []longAnswer // guarded by mu; the newest last
}

type longAnswer struct {
	id, text string
	erased   int64 // see ledger.Erased
}

func (l *longAnswers) put(a longAnswer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, a)
	l.kept = slices.Delete(l.kept, 0, max(0, len(l.kept)-keptAnswers))
}

func (l *longAnswers) get(id string, erased int64) (text string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = slices.DeleteFunc(l.kept, func(a longAnswer) bool { return a.erased != erased })
	i := slices.IndexFunc(l.kept, func(a longAnswer) bool { return a.id == id })
	if i < 0 {
		return "", false
	}
	return l.kept[i].text, true
}
