package core

import (
	"context"
	"slices"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// startOver lets an import begin again at the start of its source, which was rewritten, replaced or cut. What was recorded
// stays, and what comes again is left out, see unseen. Errors: conflict if the import is not where the caller thinks.
func (l *Ledger) startOver(tx kv.Tx, st *ImportRecord, s *sessions.Session, r ledger.AppendEntriesRequest) error {
	if st.Offset != r.Offset || st.Check != r.Check {
		return fault.New(fault.Conflict, "engine.append", "the import is at offset %d, not at %d", st.Offset, r.Offset).
			WithHint("ask for ImportState and continue from there")
	}
	s.Rewritten++
	st.ImportState = ledger.ImportState{Import: r.Import, Session: s.ID}
	st.Batches, st.Seen = nil, s.Updated
	return nil
}

// unseen returns the entries of a batch that the session does not have yet, after its source was rewritten. An entry that
// has the host's id of a recorded one and other bytes becomes a note: the conversation keeps what was read first.
func unseen(tx kv.Tx, s sessions.Session, seen time.Time, ready []*prepared) ([]*prepared, error) {
	old := false
	for _, p := range ready {
		old = old || !p.entry.Time.After(seen)
	}
	if !old {
		return ready, nil
	}
	known, err := recordedOnce(tx, s.ID)
	if err != nil {
		return nil, err
	}
	var fresh []*prepared
	for _, p := range ready {
		digest, has := known.ofHost[p.entry.HostID]
		switch {
		case p.entry.HostID == "" && !p.entry.Time.After(seen) && (known.digests[p.digest] || known.gone):
		case p.entry.HostID == "" || !has:
			fresh = append(fresh, p)
		case digest == "" || digest == p.digest: // forgotten, or the same
		case known.digests[p.digest]: // the same note, after another rewriting
		default:
			fresh = append(fresh, p.note("the host rewrote this record after it was recorded"))
		}
	}
	return fresh, nil
}

// unseen returns the entries of a batch that an import has not read before its source was rewritten. The blobs of the
// others are listed for deletion: they may have been forgotten.
func (rec ImportRecord) unseen(tx kv.Tx, s sessions.Session, ready []*prepared) ([]*prepared, error) {
	if rec.Seen.IsZero() {
		return ready, nil
	}
	fresh, err := unseen(tx, s, rec.Seen, ready)
	if err != nil {
		return nil, err
	}
	for _, p := range ready {
		if slices.Contains(fresh, p) {
			continue
		}
		if err := MarkUnreferenced(tx, p.entry.Blob); err != nil {
			return nil, err
		}
		for _, r := range p.results {
			if r.blob == nil {
				continue
			}
			if err := MarkUnreferenced(tx, r.blob.Hash); err != nil {
				return nil, err
			}
		}
	}
	return fresh, nil
}

// storeUnseen stores the blobs of a batch, but not those of entries that an import has read before: a file that was
// rewritten in place must not bring back what was forgotten. A forgetting in between leaves some that nothing references:
// the transaction lists them for deletion.
func (l *Ledger) storeUnseen(ctx context.Context, r ledger.AppendEntriesRequest, ready []*prepared) error {
	fresh, err := View(ctx, l, func(tx kv.Tx) ([]*prepared, error) {
		st, err := readImport(tx, r.Import)
		if err != nil || st.Seen.IsZero() || st.Session == "" {
			return ready, err
		}
		s, err := sessions.Get(tx, st.Session)
		if err != nil {
			return nil, err
		}
		return unseen(tx, s, st.Seen, ready)
	})
	if err != nil {
		return err
	}
	wanted := map[string]bool{} // by their originals: a record that the host rewrote is a note of its own
	for _, p := range fresh {
		wanted[p.digest] = true
	}
	ready = slices.DeleteFunc(slices.Clone(ready), func(p *prepared) bool { return !wanted[p.digest] })
	return l.storeBlobs(ctx, ready)
}

// note returns an entry as a note of the host, which counts for nothing.
func (p *prepared) note(why string) *prepared {
	n := *p // a copy: the transaction may run twice
	n.unread(why)
	n.entry.HostID, n.entry.HostParent, n.entry.Usage, n.entry.Bill, n.entry.Cut = "", "", nil, nil, nil
	n.entry.Origin = sessions.Origin{}
	return &n
}

// known is what a session has of its source.
type known struct {
	ofHost  map[string]string // host's id of a record → digest of its first original, "" if that was forgotten
	digests map[string]bool
	gone    bool // something without an id of the host was forgotten
}

// recordedOnce reads what a session has.
func recordedOnce(tx kv.Tx, session string) (known, error) {
	k := known{ofHost: map[string]string{}, digests: map[string]bool{}}
	for e, err := range sessions.Scan(tx, session, 1, 0) {
		if err != nil {
			return k, err
		}
		digest := e.Blob
		if digest == "" && e.Forgotten == nil {
			digest = sessions.Digest(e.Original)
		}
		if digest != "" {
			k.digests[digest] = true
		}
		if e.HostID == "" {
			k.gone = k.gone || e.Forgotten != nil
		} else if _, has := k.ofHost[e.HostID]; !has {
			k.ofHost[e.HostID] = digest
		}
	}
	return k, nil
}
