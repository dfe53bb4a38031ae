package hook

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// slow is how long a document takes to be made at least to be made before it is asked for: a fifth of a hook's time.
const slow = 50 * time.Millisecond

// live is what is known in memory of a session whose hooks run. What is lost with the process is made or told again.
// Its fields are guarded by the mutex of its Contexts, unless they say otherwise.
type live struct {
	telling    map[telling]bool  // what hooks are about to print
	documents  map[int]*document // by budget
	compacting announced         // the newest one that was announced
	looking    sync.Mutex
	shapes     claudecode.Shapes // of requests; guarded by looking
	unwritten  string            // the session file that did not come in time; guarded by looking
	making     sync.Mutex        // held while a document is made: two at once would both read the whole log
	comparing  chan struct{}     // closed when the summary of the host was compared; nil: it is not under way
}

// announced is what is known of a compaction by a host before it.
type announced struct {
	emptied int    // how often the context had been emptied
	seq     int64  // the newest entry of the session; 0: not known yet
	kept    string // what was printed for it
}

// of reports whether a context begins with this compaction, or is about to.
func (c announced) of(h *sessions.Hooked) bool { return h != nil && h.Emptied-c.emptied <= 1 }

// telling is a text for a context: how often that had been emptied, and the digest of the text.
type telling struct {
	emptied int
	digest  string
}

// document is our document of a session. The fields below ready are written before that is closed.
type document struct {
	seq     int64 // of the newest entry that it knows
	earlier string
	ready   chan struct{}

	text string
	err  error
	took time.Duration
}

// ended reports whether the making of the document has ended.
func (d *document) ended() bool {
	select {
	case <-d.ready:
		return true
	default:
		return false
	}
}

// live returns what is known of a session.
func (c *Contexts) live(session string) *live {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions == nil || len(c.sessions) >= maxContexts && c.sessions[session] == nil {
		c.sessions = map[string]*live{}
	}
	l := c.sessions[session]
	if l == nil {
		l = &live{telling: map[telling]bool{}, documents: map[int]*document{}, shapes: claudecode.Shapes{}}
		c.sessions[session] = l
	}
	return l
}

// claim reserves a text for this hook until release, and reports whether the context lacks it and no other hook is about to
// print it. h is what the text was chosen by: another hook may have told it since.
func (r *run) claim(ctx context.Context, h *sessions.Hooked, digest string) (bool, error) {
	text := telling{h.Emptied, digest}
	free := false
	r.with(func(l *live) {
		free = !l.telling[text]
		l.telling[text] = true
	})
	if !free {
		r.rivalled = true
		return false, nil
	}
	r.claimed = append(r.claimed, text)
	s, err := r.session(ctx)
	if err != nil || s.Hooked == nil || s.Hooked.Emptied != h.Emptied {
		return false, err
	}
	if digest == h.OwedDigest() {
		return digest == s.Hooked.OwedDigest(), nil
	}
	return !slices.Contains(s.Hooked.Shown, digest), nil
}

// release records what was told, and lets other hooks tell what was not.
func (r *run) release(ctx context.Context, told bool) (err error) {
	if told && len(r.digests) > 0 {
		_, err = r.note(ctx, ledger.NoteStageRequest{Stage: ledger.StageShown, Digests: r.digests,
			Context: r.claimed[0].emptied})
	}
	r.with(func(l *live) {
		for _, text := range r.claimed {
			delete(l.telling, text)
		}
	})
	return err
}

// with runs fn on what is known of the session.
func (r *run) with(fn func(l *live)) {
	r.Contexts.mu.Lock()
	defer r.Contexts.mu.Unlock()
	fn(r.known)
}

// summary returns our document of a session, "" for one without recorded messages. One that knows the entry since will
// do. If ctx ends before, the document is made all the same, for the next hook, and the one before it is returned, if
// there is one.
func (r *run) summary(ctx context.Context, s sessions.Session, since int64, budget int) (string, error) {
	if s.Seq == 0 {
		return "", nil
	}
	if err := r.forget(ctx); err != nil {
		return "", err
	}
	d := r.document(ctx, s, since, budget)
	select {
	case <-d.ready:
		return d.text, d.err
	case <-ctx.Done():
	}
	if d.earlier == "" {
		return "", fault.New(fault.Unavailable, "hook.summary", "the record of session %s is not ready yet", s.ID)
	}
	return d.earlier, nil
}

// forget drops all documents if something was forgotten since they were made.
func (r *run) forget(ctx context.Context) error {
	erased, err := ledger.Erased(ctx, r.api)
	if err != nil {
		return err
	}
	r.Contexts.mu.Lock()
	defer r.Contexts.mu.Unlock()
	if r.Contexts.erased == erased {
		return nil
	}
	r.Contexts.erased = erased
	for _, l := range r.Contexts.sessions {
		l.documents, l.compacting.kept = map[int]*document{}, ""
	}
	return nil
}

// document returns the document of a session, which is being made if there is none. A session whose document is being
// made gets no other one meanwhile.
func (r *run) document(ctx context.Context, s sessions.Session, since int64, budget int) *document {
	r.Contexts.mu.Lock()
	defer r.Contexts.mu.Unlock()
	last := r.known.documents[budget]
	made := &document{seq: s.Seq, ready: make(chan struct{})}
	switch {
	case last == nil:
	case !last.ended() || last.err == nil && last.seq >= since:
		return last
	default:
		made.earlier = cmp.Or(last.text, last.earlier)
	}
	r.known.documents[budget] = made
	r.work.Go(func() {
		defer close(made.ready)
		defer func() {
			if p := recover(); p != nil {
				made.err = fault.New(fault.Internal, "hook.summary", "panic: %.200v", p)
			}
		}()
		r.known.making.Lock()
		defer r.known.making.Unlock()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.Maintenance) // of a long log
		defer cancel()
		began := r.Env.Now()
		made.text, made.err = summarized(ctx, r.api, s, budget)
		made.took = r.Env.Now().Sub(began)
	})
	return made
}

// lasting returns a context for what is recorded even if the agent has stopped waiting.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), limits.Call)
}
