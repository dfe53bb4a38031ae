package upkeep

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// kindDamaged is what responses call a damaged ledger that a repair kept.
const kindDamaged = "damaged copy"

// damagedCopies removes the damaged ledgers that repairs kept and that hold the text: out of a damaged ledger no single
// text can be taken. It returns those of which that is not known.
func (e *eraser) damagedCopies(ctx context.Context, t scrub.Text) (left []ledger.LeftPlace, err error) {
	files, _, err := e.l.core.Options.Files()
	if err != nil || files == nil {
		return nil, err
	}
	dirs, err := temporary.Damaged(e.l.core.State)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		held, whole, err := files.Search(ctx, dir, func(r io.Reader) (bool, error) { return t.Find(ctx, r) })
		if ctx.Err() != nil {
			return nil, fault.Wrap(fault.Unavailable, "engine.forget", ctx.Err())
		}
		switch {
		case held && e.dry:
			e.counts[kindDamaged]++
		case held:
			if err := os.RemoveAll(dir); err != nil {
				return nil, fault.Wrap(fault.Unavailable, "engine.forget", err)
			}
			e.counts[kindDamaged]++
		case err != nil || !whole:
			left = append(left, ledger.LeftPlace{Place: dir,
				Why: "the ledger that a repair kept is too damaged to be searched: remove it when nothing is " +
					"missing"})
		}
	}
	return left, nil
}

// unfinished names the incomplete backups that are on a disk which is not connected.
func (e *eraser) unfinished() ([]ledger.LeftPlace, error) {
	files, err := temporary.Unreached(e.l.core.State)
	out := []ledger.LeftPlace{}
	for _, file := range files {
		out = append(out, ledger.LeftPlace{Place: file,
			Why: "an unfinished backup that cannot be reached may hold it: connect its disk, then run " +
				"`ctxledger ledger gc`"})
	}
	return out, err
}

// mayHold also names copies of sessions, and the damaged ledgers that repairs kept, of which a handle does not tell whether they
// hold the thing.
func (e *eraser) mayHold(ctx context.Context) ([]ledger.LeftPlace, error) {
	copies, err := e.copied(ctx)
	if err != nil {
		return nil, err
	}
	out, err := e.unfinished()
	if err != nil {
		return out, err
	}
	out = append(copies, out...)
	dirs, err := temporary.Damaged(e.l.core.State)
	for _, dir := range dirs {
		out = append(out, ledger.LeftPlace{Place: dir,
			Why: "the damaged ledger that a repair kept may hold it: remove that if nothing is missing"})
	}
	return out, err
}

// copied names the sessions that share messages with those that held what was forgotten.
func (e *eraser) copied(ctx context.Context) ([]ledger.LeftPlace, error) {
	return core.View(ctx, e.l.core, func(tx kv.Tx) (out []ledger.LeftPlace, err error) {
		all, err := sessions.List(tx)
		held := slices.DeleteFunc(slices.Clone(all), func(s sessions.Session) bool { return !e.sessions[s.ID] })
		for _, s := range all {
			if !e.sessions[s.ID] && !s.Gone() && len(out) < maxLeft && slices.ContainsFunc(held, s.Shares) {
				out = append(out, ledger.LeftPlace{Place: "session " + s.ID,
					Why: "a session that began as a copy, or was copied, may hold the same words: " +
						"`ctxledger forget --session ID`, or --text for the words"})
			}
		}
		return out, err
	})
}

// logsDir has the logs of the owner and of hooks, which name files.
const logsDir = "log"

// logs empties the logs that hold the text. Their writers append to them, and go on.
func (e *eraser) logs(ctx context.Context, t scrub.Text) error {
	dir := filepath.Join(e.l.core.State, logsDir)
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, n := range names {
		path := filepath.Join(dir, n.Name())
		if n.Type().IsRegular() && searchFile(ctx, e.l.core.State, path, t) == whyForeign {
			err = errors.Join(err, os.Truncate(path, 0))
		}
	}
	return fault.Wrap(fault.Unavailable, "engine.forget", err)
}
