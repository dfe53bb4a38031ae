package live

import (
	"context"
	"slices"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// maxFiles bounds the files that are tracked.
const maxFiles = 20_000

// reader reads the log of one session.
type reader struct {
	session sessions.Session
	next    int64                  // entry to read next
	touched map[string]bool        // files, by path; whether the newest read, or try, was for all of the file
	known   ledger.ChangesResponse // which of the files were read, are fresh, and are stale
	unsure  bool                   // known may be outdated
}

func newReader(s sessions.Session) *reader {
	return &reader{session: s, next: 1, touched: map[string]bool{}, unsure: true}
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
	// What the window has of a file may change with a result, where the host tells the agent of a change, and after it has
	// compacted, cleared or gone back; with a request it shows how the provider counted it.
	back := e.Kind == sessions.KindRewind || e.Prompt && e.HostParent != ""
	r.unsure = r.unsure || back || e.HostSummary() || len(e.Results)+len(e.Cleared) > 0 || e.Told != "" ||
		e.Usage != nil
	touch := func(path string, whole bool) {
		if !e.Hidden && path != "" && len(r.touched) < maxFiles {
			r.touched[path] = whole
		}
	}
	if a := e.Attached; a != nil {
		r.unsure = r.unsure || !e.Hidden
		touch(a.Path, !a.Partial)
	}
	for _, c := range e.Calls {
		touch(c.Prints, false)
		if touches(c.Op) {
			r.unsure = true
			touch(c.Target, c.Op == intents.OpRead && !c.Partial || c.Op != intents.OpRead && r.touched[c.Target])
		}
	}
}

// touches reports whether a call is about one file's content.
func touches(op string) bool {
	return op == intents.OpRead || op == intents.OpWrite || op == intents.OpPatch
}

// snapshot returns the current state of files by their paths as seen from a workspace, counted as the agent's window is.
func (r *reader) snapshot(by tokens.Scale, measured bool, in ledger.Info) map[string]File {
	files := make(map[string]File, len(r.touched))
	for path, whole := range r.touched {
		files[path] = File{Touched: true, Whole: whole}
	}
	for _, read := range r.known.Reads {
		f := files[read.Path]
		f.Reads, f.Took, f.Left = read.Reads, by.Total(read.Tokens), by.Total(read.Held)
		f.Dropped = read.Held != read.Tokens
		f.Window, f.Measured = by.Total(read.Window), measured
		files[read.Path] = f
	}
	for _, path := range r.known.Fresh {
		f := files[path]
		f.Fresh = true
		files[path] = f
	}
	for i, path := range slices.Concat(r.known.Parts, r.known.Moved) {
		f := files[path]
		f.Part, f.Moved = true, i >= len(r.known.Parts)
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
