package replay

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// Scratch is a ledger for one replay. Its directory is removed with it, unless the caller has named it.
type Scratch struct {
	*engine.Local
	dir       string
	SessionID string // its id there, once something was appended
	taken     int    // entries appended
}

// Open opens an empty ledger for a session. Errors: unavailable when it cannot have a directory.
func Open(ctx context.Context, e env.Env, of *Session, s engine.Settings) (*Scratch, error) {
	dir, err := temporary.Scratch(of.State, e.Temp)
	if err != nil {
		return nil, err
	}
	l, err := engine.Open(ctx, engine.Options{State: dir, Workspace: of.About.Dir, Env: e, Settings: s, Scratch: true})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Scratch{Local: l, dir: dir}, nil
}

// OpenIn opens the ledger of a session in a directory, which stays. Errors: those of engine.Open.
func OpenIn(ctx context.Context, e env.Env, dir string, of *Session, s engine.Settings) (*Scratch, error) {
	l, err := engine.Open(ctx, engine.Options{State: dir, Workspace: of.About.Dir, Env: e, Settings: s})
	if err != nil {
		return nil, err
	}
	return &Scratch{Local: l}, nil
}

// Close removes the ledger, if it is one that Open has made.
func (l *Scratch) Close() error { return errors.Join(l.Local.Close(), os.RemoveAll(l.dir)) }

// Append appends the entries of a session up to one of them, exclusive.
func (l *Scratch) Append(ctx context.Context, s *Session, to int) error {
	for l.taken < to {
		n := fitting(s.Entries[l.taken:to])
		batch, err := l.inlined(ctx, s.Entries[l.taken:l.taken+n])
		if err != nil {
			return err
		}
		r, err := l.AppendEntries(ctx, ledger.AppendEntriesRequest{
			Import: "replay", Session: s.About, Offset: int64(l.taken), Next: int64(l.taken + n),
			Line: int64(l.taken + n), Entries: batch, Done: l.taken+n == to,
		})
		if err != nil {
			return err
		}
		l.SessionID = r.Session
		l.taken += n
	}
	return nil
}

// fitting returns how many of the entries one batch takes, at least one.
func fitting(entries []sessions.NewEntry) int {
	n, size := 0, 0
	for n < min(len(entries), limits.AppendCount) {
		if size += len(entries[n].Original); n > 0 && size > limits.AppendBatch {
			break
		}
		n++
	}
	return n
}

// inlined returns the entries with originals that are too long for a request stored as blobs.
func (l *Scratch) inlined(ctx context.Context, all []sessions.NewEntry) ([]sessions.NewEntry, error) {
	out := slices.Clone(all)
	for i := range out {
		if len(out[i].Original) <= limits.EntryInline {
			continue
		}
		ref, err := l.PutBlob(ctx, bytes.NewReader(out[i].Original))
		if err != nil {
			return nil, err
		}
		out[i].Original, out[i].Blob = nil, ref.Hash
	}
	return out, nil
}
