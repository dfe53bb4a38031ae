package mcp

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// room is how much of one result a client passes on to its model whole. What is longer it cuts in the middle, or writes to
// a file and shows the beginning.
type room struct {
	client string                // the beginning of the name that the client gives itself
	most   int                   // of a result, as size counts it
	size   func(text string) int // as the client counts; nil: it passes on whatever comes
	lines  int                   // of a result; 0: however many
}

// rooms are the clients whose limit is known, a little below it: what they add to a result counts as well. For sources see
// docs/answers.md.
var rooms = []room{
	{client: "claude-code", most: 49_000, size: codeUnits},
	{client: "codex-mcp-client", most: 11_800, size: func(text string) int { return len(text) }},
	{client: "gemini-cli-mcp-client", most: 39_500, size: codeUnits},
	{client: "qwen-cli-mcp-client", most: 24_500, size: codeUnits, lines: 990},
	{client: "opencode", most: 51_000, size: func(text string) int { return len(text) }, lines: 1_990},
	{client: "@cline/core", most: 7_900, size: quoted},
}

// roomOf returns the room of a client by its name; that of an unknown one has no bound.
func roomOf(client string) room {
	for _, r := range rooms {
		if strings.HasPrefix(client, r.client) {
			return r
		}
	}
	return room{}
}

// codeUnits counts as JavaScript does: in UTF-16.
func codeUnits(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// quoted counts a text within JSON in UTF-16, as JSON.stringify writes it.
func quoted(text string) int {
	n := codeUnits(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"', c == '\\', c >= '\b' && c <= '\r' && c != '\v':
			n++
		case c < ' ':
			n += len(`u001b`)
		}
	}
	return n
}

// taken returns the share of the room that an answer takes; above 1 it does not arrive whole. With structured results
// clients pass on either form or both.
func (s *Server) taken(r room, a reply) float64 {
	if r.size == nil {
		return 0
	}
	text := a.text
	if s.o.Structured {
		text += plainJSON(a.value)
	}
	share := float64(r.size(text)) / float64(r.most)
	if r.lines > 0 {
		share = max(share, float64(strings.Count(text, "\n")+1)/float64(r.lines))
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
		share := c.taken(roomOf(c.client), a)
		if share <= 1 || r.Limit == 1 {
			return a, nil
		}
		const spare = 0.95 // a line that does not fit goes as a whole, and the next call may be longer
		r.Limit = max(1, int(float64(utf8.RuneCountInString(page.Text))/share*spare))
	}
}

// whole returns an answer as the client passes it on whole: one that is too long is kept for read_artifact, and its first page
// is returned. A structured one stays: a program reads it.
func (c *call) whole(ctx context.Context, a reply) (reply, error) {
	if a.text == "" {
		a.text = plainJSON(a.value)
	}
	if c.o.Structured || c.taken(roomOf(c.client), a) <= 1 {
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
		return artifacts.Page{}, fault.New(fault.NotFound, "mcp.answer", "%.1000q is not kept any more", r.ID).
			WithHint("call again the tool that answered with it")
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
