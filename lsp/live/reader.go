package live

import (
	"context"
	"maps"
	"slices"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// maxPending bounds the reads without a result that are tracked.
const maxPending = 1000

// maxFiles bounds the files that are tracked.
const maxFiles = 20_000

// reader reads the log of one session.
type reader struct {
	session sessions.Session
	next    int64                  // entry to read next
	files   map[string]File        // from the log
	took    map[string]int         // by reads of each file, in o200k_base tokens: the calls and their results
	held    []heldRead             // of these reads, what the host has not compacted away
	cut     *sessions.HostCut      // what the host said last of a compaction
	pending map[string]pending     // reads without a result, by call id
	known   ledger.ChangesResponse // which of the files are fresh, and which stale
	unsure  bool                   // known may be outdated
}

// pending is a read without a result.
type pending struct {
	path   string
	tokens int // of the call
}

// heldRead is a read in the window of the agent.
type heldRead struct {
	path, id string // id is the host's, of the record with the result
	tokens   int
}

func newReader(s sessions.Session) *reader {
	return &reader{session: s, next: 1, files: map[string]File{}, took: map[string]int{}, pending: map[string]pending{},
		unsure: true}
}

// read reads new entries of the session and the files that are stale.
func (r *reader) read(ctx context.Context, api Ledger) error {
	for from := r.next; from > 0 && from <= r.session.Seq; {
		page, err := api.Log(ctx, ledger.LogRequest{Session: r.session.ID, From: from})
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			r.take(e.Entry)
			r.next = e.Seq + 1
		}
		from = page.Next
	}
	if !r.unsure {
		return nil
	}
	// Only the response for a session lists such files; the changes in it are not needed.
	var err error
	r.known, err = api.Changes(ctx, ledger.ChangesRequest{Session: r.session.ID, Limit: 1})
	r.unsure = err != nil
	return err
}

// take processes one entry. Reads of subagents never enter the view of the session.
func (r *reader) take(e sessions.Entry) {
	for _, c := range e.Calls {
		r.unsure = r.unsure || touches(c.Op)
	}
	if e.Cut != nil {
		r.cut = e.Cut
	}
	if e.HostSummary() {
		r.unsure = true
		r.held = slices.DeleteFunc(r.held, func(h heldRead) bool {
			return r.cut == nil || !slices.Contains(r.cut.Kept, h.id)
		})
		r.cut = nil
	}
	if e.Hidden {
		return
	}
	for _, c := range e.Calls {
		if touches(c.Op) && c.Target != "" && len(r.files) < maxFiles {
			f := r.files[c.Target]
			f.Touched = true
			r.files[c.Target] = f
		}
		if c.Op == intents.OpRead && c.Target != "" && len(r.pending) < maxPending {
			r.pending[c.ID] = pending{c.Target, c.Tokens}
		}
	}
	for _, res := range e.Results {
		read, ok := r.pending[res.CallID]
		delete(r.pending, res.CallID)
		if !ok || res.Failed {
			continue
		}
		f := r.files[read.path]
		f.Reads++
		r.files[read.path] = f
		r.took[read.path] += read.tokens + res.Tokens
		r.held = append(r.held, heldRead{read.path, e.HostID, read.tokens + res.Tokens})
	}
}

// touches reports whether a call is about one file's content.
func touches(op string) bool {
	return op == intents.OpRead || op == intents.OpWrite || op == intents.OpPatch
}

// snapshot returns the current state of files by their paths as seen from a workspace, counted as the agent's window is.
func (r *reader) snapshot(by tokens.Scale, in ledger.Info) map[string]File {
	files := maps.Clone(r.files)
	left := map[string]int{}
	for _, h := range r.held {
		left[h.path] += h.tokens
	}
	for path, took := range r.took {
		f := files[path]
		f.Took, f.Left, f.Dropped = by.Of(took), by.Of(left[path]), left[path] < took
		files[path] = f
	}
	for _, path := range r.known.Fresh {
		f := files[path]
		f.Fresh = true
		files[path] = f
	}
	for _, s := range r.known.Stale {
		f := files[s.Path]
		f.Stale, f.Gone, f.By, f.Sub = true, s.Gone, s.By, s.Subagent
		files[s.Path] = f
	}
	tree := in.Elsewhere(r.known.Tree, ".")
	if tree == "" {
		return files
	}
	seen := make(map[string]File, len(files))
	for path, f := range files {
		path = paths.Abs(tree, path)
		if rel, inside := paths.Below(in.Workspace, path); inside {
			path = rel
		}
		seen[path] = f
	}
	return seen
}
