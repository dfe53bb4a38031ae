package hook

import (
	"io"
	"path/filepath"
	"sync"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/safefs"
)

// Bounds of what Contexts remembers.
const (
	maxContexts = 64    // sessions
	maxTexts    = 2_000 // texts of a session
)

// Contexts knows the results that the contexts of live sessions have got, to recognise repeated ones, and what hooks are
// about to tell. The zero value is ready to use, by several goroutines. It is kept in memory alone: what it forgets is
// only not recognised, or made again.
type Contexts struct {
	mu       sync.Mutex
	kept     map[string]map[string]origin // guarded by mu; host's id → digest of a text → the call that has it
	sessions map[string]*live             // guarded by mu; by the host's id
	erased   int64                        // guarded by mu; how often the ledger had forgotten something
}

// origin is a call whose result has a text.
type origin struct {
	call, prompt string
	at           time.Time
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
}

// earlier returns the earlier call with the same text whose result the context is known to have, "" if there is none.
// The first call with a text counts as long as the context has it.
func (r *run) earlier(digest string) string {
	now := origin{r.event.CallID, r.event.Prompt, r.Env.Now()}
	known := r.Contexts.seen(r.live.HostID, digest)
	if known.call == now.call {
		return ""
	}
	if known.call != "" && r.holds(known, now) {
		return known.call
	}
	r.Contexts.add(r.live.HostID, digest, now)
	return ""
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
