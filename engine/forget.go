package engine

import (
	"context"
	"slices"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// bucketDoomed holds the blobs that no record names any more, by hash, until they are deleted: a
// crash in between is made good by the next owner.
const bucketDoomed kv.Bucket = "doomed"

// ForgetArtifact implements API. Every entry that holds the content as a result is forgotten with
// it, in all sessions: its original, its stub and what was extracted from its words. Blobs that
// another record names stay. What a summary or a memory quotes of the content is text of its own.
func (l *Local) ForgetArtifact(ctx context.Context, r ForgetArtifactRequest) (artifacts.Artifact, error) {
	m, err := l.mutation("forget", r.Key, r)
	if err != nil {
		return artifacts.Artifact{}, err
	}
	done, err := l.maintain(ctx, "forgetting an artifact")
	if err != nil {
		return artifacts.Artifact{}, err
	}
	defer done()
	l.naming.Lock()
	defer l.naming.Unlock()
	a, err := mutate(ctx, l, m, func(tx kv.Tx) (artifacts.Artifact, []Event, error) {
		a, err := artifacts.Forget(tx, r.ID, m.at)
		if err != nil {
			return a, nil, err
		}
		return a, []Event{{Kind: EventForgotten, ID: a.ID}}, forgetContent(tx, a, m)
	})
	if err != nil {
		return a, err
	}
	failpoint.Hit("engine.forget.committed")
	return a, l.deleteDoomed(ctx)
}

// forgetContent removes the entries that hold an artifact's content and dooms the blobs that then no
// record names.
func forgetContent(tx kv.Tx, a artifacts.Artifact, m mutation) error {
	held, err := holders(tx, a.ID)
	if err != nil {
		return err
	}
	blobs := []string{a.Hash}
	for _, p := range held {
		if p.entry.Blob != "" {
			blobs = append(blobs, p.entry.Blob)
		}
		if err := forgetEntry(tx, p, m); err != nil {
			return err
		}
	}
	return doom(tx, blobs)
}

// forgetEntry removes an entry's original and what other records keep of its results.
func forgetEntry(tx kv.Tx, p place, m mutation) error {
	if _, err := sessions.Forget(tx, p.session, p.entry.Seq, m.at); err != nil {
		return err
	}
	for _, r := range p.entry.Results {
		if err := tx.Delete(bucketStubs, stubKey(p.session, p.entry.Seq, r.CallID)); err != nil {
			return err
		}
		if err := intents.Forget(tx, p.session, r.CallID); err != nil {
			return err
		}
	}
	return nil
}

// place is an entry of a session.
type place struct {
	session string
	entry   sessions.Entry
}

// holders returns the entries that hold an artifact's content as a result, in all logs.
func holders(tx kv.Tx, artifact string) ([]place, error) {
	all, err := sessions.List(tx)
	if err != nil {
		return nil, err
	}
	var held []place
	for _, s := range all {
		for e, err := range sessions.Scan(tx, s.ID, 0, 0) {
			if err != nil {
				return nil, err
			}
			holds := slices.ContainsFunc(e.Results, func(r sessions.Result) bool { return r.Artifact == artifact })
			if holds && e.Forgotten == nil {
				held = append(held, place{s.ID, e.Entry})
			}
		}
	}
	return held, nil
}

// useUp deletes a blob that only carried a request, unless a record names it. A failure costs disk
// and nothing else: the next owner deletes what is doomed, and a blob that was not doomed is what a
// crash would have left as well.
func (l *Local) useUp(ctx context.Context, hash string) {
	l.naming.Lock()
	defer l.naming.Unlock()
	err := l.store.Update(ctx, func(tx kv.Tx) error { return doom(tx, []string{hash}) })
	if err == nil {
		_ = l.deleteDoomed(ctx)
	}
}

// nameBlob takes a blob that a record is about to name off the list of those to be deleted. The caller
// holds l.naming for reading.
func (l *Local) nameBlob(tx kv.Tx, hash string) error {
	l.use(hash)
	return tx.Delete(bucketDoomed, []byte(hash))
}

// deleteDoomed deletes the blobs that no record names. The caller holds l.naming, or is the only one
// that knows l yet.
func (l *Local) deleteDoomed(ctx context.Context) error {
	doomed, err := view(ctx, l, func(tx kv.Tx) (hashes []string, err error) {
		for r, err := range tx.Scan(bucketDoomed, kv.Range{}) {
			if err != nil {
				return nil, err
			}
			hashes = append(hashes, string(r.Key))
		}
		return hashes, nil
	})
	if err != nil || len(doomed) == 0 {
		return err
	}
	for _, hash := range doomed {
		if err := l.store.DeleteBlob(ctx, hash); err != nil {
			return err
		}
	}
	failpoint.Hit("engine.doomed.deleted")
	return l.store.Update(ctx, func(tx kv.Tx) error {
		for _, hash := range doomed {
			if err := tx.Delete(bucketDoomed, []byte(hash)); err != nil {
				return err
			}
		}
		return nil
	})
}
