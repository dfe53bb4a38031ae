package upkeep

import (
	"cmp"
	"encoding/json"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// The kinds that responses about forgetting count.
const (
	kindMessage  = "message"
	kindArtifact = "artifact"
	kindSummary  = "summary"
	kindAnswer   = "kept answer"
	kindSession  = "session" // of items only: what is counted are its messages
	kindMemory   = "memory"
	kindEarlier  = "memory version"
)

// original forgets the original of one entry, with the stubs that quote its results and what intents keep of them. Its
// blob is deleted if it is then unreferenced.
func (s *step) original(session string, seq int64) (sessions.Entry, error) {
	stored, err := sessions.GetEntry(s, session, seq)
	if err != nil {
		return sessions.Entry{}, err
	}
	e := stored.Entry
	if err := core.MarkUnreferenced(s, e.Blob); err != nil {
		return e, err
	}
	if e.Forgotten == nil {
		s.count(kindMessage, session)
		s.size(e.Size)
		s.item(kindMessage, e.Handle(), e.Size, func() string { return s.titleOf(session, stored) })
	}
	err = sessions.Forget(s, session, seq, s.e.at, s.e.expired)
	for _, r := range e.Results {
		err = cmp.Or(err, s.Delete(core.BucketStubs, core.StubKey(session, seq, r.CallID)),
			intents.ForgetResult(s, session, r.CallID))
	}
	return e, err
}

// message forgets an entry with everything that was extracted from it.
func (s *step) message(session string, seq int64) error {
	e, err := s.original(session, seq)
	if err != nil {
		return err
	}
	err = sessions.ForgetCalls(s, session, seq)
	for _, c := range e.Calls {
		err = cmp.Or(err, intents.ForgetCall(s, session, c.ID), s.Delete(attribution.BucketCommands,
			attribution.CommandKey(intents.Intent{Session: session, CallID: c.ID})))
	}
	return err
}

// artifact forgets an artifact's content, not the entries that hold it.
func (s *step) artifact(id string) error {
	a, err := artifacts.Get(s, id)
	if err != nil {
		return err
	}
	if a.Forgotten == nil {
		s.count(kindArtifact, "")
		s.size(a.Bytes)
		s.item(kindArtifact, a.ID, a.Bytes, a.Describe)
	}
	s.e.ids[id] = true
	_, err = artifacts.Forget(s, id, s.e.at, s.e.expired)
	return cmp.Or(err, core.MarkUnreferenced(s, a.Hash))
}

// summary changes the record of a compaction by edit. The hash of the old text, which discloses nothing, is kept: a host
// that hands that text back is still understood.
func (s *step) summary(session string, seq int64, edit func(r *compaction.Record)) error {
	e, err := sessions.GetEntry(s, session, seq)
	if err != nil {
		return err
	}
	var r compaction.Record
	if err := json.Unmarshal(e.Data, &r); err != nil {
		return fault.Wrap(fault.Corrupt, "engine.forget", err)
	}
	before := r.TextBlob
	edit(&r)
	data, err := json.Marshal(r)
	if err != nil {
		return fault.Wrap(fault.Internal, "engine.forget", err)
	}
	if string(data) == string(e.Data) {
		return nil
	}
	s.count(kindSummary, session)
	s.item(kindSummary, r.ID, 0, func() string { return "of session " + session })
	if before != r.TextBlob {
		err = core.MarkUnreferenced(s, before)
	}
	e.Data = data
	return cmp.Or(err, s.e.l.core.ReferenceBlob(s, r.TextBlob),
		s.Put(core.BucketSummaryText, []byte(r.TextHash), []byte(r.ID)), sessions.Amend(s, session, e))
}

// heldBy returns the entries of all logs that have an artifact's content as a result and were not forgotten.
func heldBy(tx kv.Tx, artifact string) (held []place, err error) {
	err = eachHeld(tx, func(p place, id string) {
		if id == artifact && (len(held) == 0 || held[len(held)-1] != p) { // an entry may hold it twice
			held = append(held, p)
		}
	})
	return held, err
}

// eachHeld calls fn with each artifact that is the content of a result, and the entry of that result. Forgotten
// entries are left out.
func eachHeld(tx kv.Tx, fn func(p place, artifact string)) error {
	all, err := sessions.List(tx)
	if err != nil {
		return err
	}
	for _, s := range all {
		for e, err := range sessions.Scan(tx, s.ID, 0, 0) {
			if err != nil {
				return err
			}
			for _, r := range e.Results {
				if r.Artifact != "" && e.Forgotten == nil {
					fn(place{s.ID, e.Seq}, r.Artifact)
				}
			}
		}
	}
	return nil
}

// place is an entry of a session.
type place struct {
	session string
	seq     int64
}
