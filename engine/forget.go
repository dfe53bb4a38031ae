package engine

import (
	"context"
	"encoding/json"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
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

// holders is what a walk over the whole ledger finds out about one artifact.
type holders struct {
	entries []place         // that hold its content
	named   map[string]bool // blobs that other records name
	blobs   []string        // of the content and of the entries
}

// place is an entry, with what of it makes the content disappear.
type place struct {
	session string
	entry   sessions.Entry
}

// forgetContent removes the entries that hold an artifact's content and dooms the blobs that then no
// record names.
func forgetContent(tx kv.Tx, a artifacts.Artifact, m mutation) error {
	h, err := findHolders(tx, a)
	if err != nil {
		return err
	}
	for _, p := range h.entries {
		if err := forgetEntry(tx, p, m); err != nil {
			return err
		}
	}
	for _, hash := range h.blobs {
		if h.named[hash] {
			continue
		}
		if err := tx.Put(bucketDoomed, []byte(hash), nil); err != nil {
			return err
		}
	}
	return nil
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

// findHolders walks over all logs and artifacts.
func findHolders(tx kv.Tx, a artifacts.Artifact) (holders, error) {
	h := holders{named: map[string]bool{}, blobs: []string{a.Hash}}
	all, err := sessions.List(tx)
	if err != nil {
		return h, err
	}
	for _, s := range all {
		for e, err := range sessions.Scan(tx, s.ID, 0, 0) {
			if err != nil {
				return h, err
			}
			if err := h.look(s.ID, e.Entry, a); err != nil {
				return h, err
			}
		}
	}
	for other, err := range artifacts.All(tx) {
		if err != nil {
			return h, err
		}
		if other.Forgotten == nil {
			h.named[other.Hash] = true
		}
	}
	return h, nil
}

// look takes one entry into account.
func (h *holders) look(session string, e sessions.Entry, a artifacts.Artifact) error {
	if e.Kind == sessions.KindCompaction {
		var r compaction.Record
		if err := json.Unmarshal(e.Data, &r); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.forget", err)
		}
		h.named[r.TextBlob] = true
	}
	holds := false
	for _, r := range e.Results {
		holds = holds || a.ID != "" && r.Artifact == a.ID
	}
	switch {
	case e.Forgotten != nil:
	case holds:
		h.entries = append(h.entries, place{session, e})
		if e.Blob != "" {
			h.blobs = append(h.blobs, e.Blob)
		}
	case e.Blob != "":
		h.named[e.Blob] = true
	}
	return nil
}

// useUp deletes a blob that only carried a request, unless a record names it. A failure costs disk
// and nothing else: the next owner deletes what is doomed, and a blob that was not doomed is what a
// crash would have left as well.
func (l *Local) useUp(ctx context.Context, hash string) {
	l.naming.Lock()
	defer l.naming.Unlock()
	err := l.store.Update(ctx, func(tx kv.Tx) error {
		h, err := findHolders(tx, artifacts.Artifact{})
		if err != nil || h.named[hash] {
			return err
		}
		return tx.Put(bucketDoomed, []byte(hash), nil)
	})
	if err == nil {
		_ = l.deleteDoomed(ctx)
	}
}

// nameBlob takes a blob that a record is about to name off the list of those to be deleted.
func nameBlob(tx kv.Tx, hash string) error { return tx.Delete(bucketDoomed, []byte(hash)) }

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
			if err := nameBlob(tx, hash); err != nil {
				return err
			}
		}
		return nil
	})
}
