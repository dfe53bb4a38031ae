package hook

import (
	"crypto/sha256"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/sessions"
)

// Bounds of what Contexts remembers.
const (
	maxContexts = 64      // sessions
	maxTexts    = 2_000   // texts of a session
	maxPrinted  = 4 << 20 // bytes of digests of the lines of the newest ones, of all sessions
)

// Contexts knows the results that the contexts of live sessions have got, to recognise repeated ones, and what hooks are
// about to tell. The zero value is ready to use, by several goroutines. It is kept in memory alone: what it forgets is
// only not recognised, or made again.
type Contexts struct {
	mu       sync.Mutex
	kept     map[string]map[string]origin // guarded by mu; host's id → digest of a text → the call that has it
	printed  []printed                    // guarded by mu; the newest last
	sessions map[string]*live             // guarded by mu; by the host's id
	erased   int64                        // guarded by mu; how often the ledger had forgotten something
}

// origin is a call whose result has a text.
type origin struct {
	call, prompt string
	at           time.Time
}

// printed is a result that a session got whole.
type printed struct {
	session string
	of      origin
	lines   string // digests of them, of lineDigest bytes each
	first   int    // the number of the first one
}

// lineDigest is the size of the digest of a line.
const lineDigest = 16

// digests returns those of the lines of a text.
func digests(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		sum := sha256.Sum256([]byte(line))
		b.Write(sum[:lineDigest])
	}
	return b.String()
}

// has returns which lines of a result others are; ok is false if they are none of its parts.
func (p printed) has(lines string) (at filetext.Lines, ok bool) {
	for from := 0; ; {
		i := strings.Index(p.lines[from:], lines)
		if i < 0 {
			return at, false
		}
		if from += i; from%lineDigest == 0 {
			at.From = p.first + from/lineDigest
			at.To = at.From + len(lines)/lineDigest - 1
			return at, true
		}
		from++ // it began within a digest
	}
}

// show remembers a result that a session got whole.
func (c *Contexts) show(p printed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.printed = append(c.printed, p)
	size := 0
	for i := len(c.printed) - 1; i >= 0; i-- {
		if size += len(c.printed[i].lines); size > maxPrinted {
			c.printed = slices.Delete(c.printed, 0, i+1)
			return
		}
	}
}

// around returns the results of a session that have some lines, the newest first.
func (c *Contexts) around(session, lines string) (out []printed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range slices.Backward(c.printed) {
		if p.session != session {
			continue
		}
		if _, ok := p.has(lines); ok {
			out = append(out, p)
		}
	}
	return out
}

// seen returns the call of which a session got a text.
func (c *Contexts) seen(session, digest string) origin {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[session][digest]
}

// add remembers the call of which a session got a text.
func (c *Contexts) add(session, digest string, o origin) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxContexts && c.kept[session] == nil {
		c.kept = map[string]map[string]origin{}
	}
	of := c.kept[session]
	if of == nil || len(of) >= maxTexts {
		of = map[string]origin{}
		c.kept[session] = of
	}
	of[digest] = o
}

// drop forgets what a session had in its context.
func (c *Contexts) drop(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, session)
	c.printed = slices.DeleteFunc(c.printed, func(p printed) bool { return p.session == session })
}

// origin is the call whose result is about to be read.
func (r *run) origin() origin { return origin{r.event.CallID, r.event.Prompt, r.Env.Now()} }

// earlier returns the earlier call with the same text whose result the context is known to have, or else one with these
// lines, "" if there is none. The first call with a text counts as long as the context has it.
func (r *run) earlier(text string) (call string, lines filetext.Lines) {
	now := r.origin()
	digest := sessions.Digest([]byte(filetext.Bare(text)))
	known := r.Contexts.seen(r.live.HostID, digest)
	if known.call == now.call {
		return "", lines
	}
	if known.call != "" && r.holds(known, now) {
		return known.call, lines
	}
	part := digests(filetext.Bare(text))
	for _, p := range r.Contexts.around(r.live.HostID, part) {
		if p.of.call != now.call && r.holds(p.of, now) {
			at, _ := p.has(part)
			return p.of.call, at
		}
	}
	r.Contexts.add(r.live.HostID, digest, now)
	return "", lines
}

// holds reports whether the context has the result of an earlier call: the session file says so, or the call was of the
// same prompt, which is in one branch of the conversation, and the file cannot have it yet.
func (r *run) holds(known, now origin) bool {
	held := claudecode.Unknown
	r.file(func(f io.ReaderAt, size int64) {
		held = claudecode.Holds(f, size, known.call,
			claudecode.Present{Call: now.call, Prompt: now.prompt, Time: now.at})
	})
	fresh := now.prompt != "" && known.prompt == now.prompt && now.at.Sub(known.at) < claudecode.Lag
	return held == claudecode.Kept || held == claudecode.Unknown && fresh
}

// file hands over the session file of the event, if it is there.
func (r *run) file(read func(f io.ReaderAt, size int64)) {
	path := r.event.File()
	if path == "" {
		return
	}
	tree, err := safefs.Open(filepath.Dir(path))
	if err != nil {
		return
	}
	defer tree.Close() // only read
	f, info, err := tree.Open(filepath.Base(path))
	if err != nil {
		return
	}
	defer f.Close() // only read
	read(f, info.Size())
}
