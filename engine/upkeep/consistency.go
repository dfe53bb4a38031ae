package upkeep

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/changes"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

// checker checks the engine's own invariants of a ledger's records, which no domain checks.
type checker struct {
	*consistency.Check
	at    time.Time
	blobs map[string]bool // the undamaged ones

	compacted []compacted
}

// compacted is a compaction with its entry.
type compacted struct {
	compaction.Record
	session string
	seq     int64
}

// CheckRecords runs all checks on the records that tx sees. Those of the engine that change entries and artifacts run
// before the domains count them.
func CheckRecords(
	ctx context.Context, tx kv.Tx, fix bool, at time.Time, blobs map[string]bool, report func(consistency.Finding),
) error {
	var x *checker
	mine := func(part func(*checker) error) func(*consistency.Check) error {
		return func(a *consistency.Check) error {
			if x == nil {
				x = &checker{Check: a, at: at, blobs: blobs}
			}
			return part(x)
		}
	}
	return consistency.Run(ctx, tx, fix, report,
		sessions.Check(at), mine((*checker).contents), mine((*checker).logs),
		intents.Check, changes.Check, artifacts.Check, memory.Check,
		mine((*checker).summaries), mine((*checker).stubs), mine((*checker).commands), mine((*checker).imports),
		mine((*checker).keys), mine((*checker).events), mine((*checker).estimators),
	)
}

// contents checks that the content of every artifact exists. Without it the artifact becomes a tombstone.
func (x *checker) contents() error {
	var lost []string
	for a, err := range artifacts.All(x.Tx) {
		if fault.Is(err, fault.Corrupt) {
			break // the check of package artifacts reports it
		}
		if err != nil {
			return err
		}
		if a.Forgotten == nil && !x.blobs[a.Hash] {
			x.FindLost("artifact "+a.ID, "its content, blob %.12s, is missing or damaged: %s", a.Hash, a.Describe())
			lost = append(lost, a.ID)
		}
	}
	if !x.Fix {
		return nil
	}
	var err error
	for _, id := range lost {
		_, wrong := artifacts.Forget(x.Tx, id, x.at, false)
		err = cmp.Or(err, wrong)
	}
	return err
}

// logs checks the entries of every log and what they refer to.
func (x *checker) logs() error {
	all, err := sessions.List(x.Tx)
	if err != nil {
		return err
	}
	for _, s := range all {
		var mend []func() error
		var c core.Compactions
		for e, err := range sessions.Scan(x.Tx, s.ID, 0, 0) {
			if err != nil {
				return err
			}
			fix, err := x.entry(s.ID, e, &c)
			if err != nil {
				return err
			}
			if fix != nil && x.Fix {
				mend = append(mend, fix)
			}
		}
		for _, fix := range mend { // after the log was read
			if err := fix(); err != nil {
				return err
			}
		}
	}
	return nil
}

// entry checks one entry and returns a function that repairs it, or nil.
func (x *checker) entry(session string, e sessions.Stored, c *core.Compactions) (mend func() error, err error) {
	where := sessions.Where(session, e.Seq)
	if err := c.Add(&e.Entry); err != nil {
		x.FindLost(where, "does not fit the log: %s", err)
		return func() error { return sessions.LoseEntry(x.Tx, session, e.Seq, x.at) }, nil
	}
	if e.Kind == sessions.KindCompaction {
		return x.compaction(session, e, c.Records[len(c.Records)-1])
	}
	if e.Forgotten != nil {
		return nil, nil
	}
	if why := x.wrongOriginal(e); why != "" {
		x.FindLost(where, "its original %s", why)
		return func() error { return x.lose(session, e) }, nil
	}
	for _, call := range e.Calls {
		read := attribution.Read(call)
		if read == "" {
			continue
		}
		if err := sessions.WantRead(x.Check, read, session, e.Seq, call.ID); err != nil {
			return nil, err
		}
	}
	if a := e.Attached; a != nil {
		if err := sessions.WantRead(x.Check, a.Path, session, e.Seq, ""); err != nil {
			return nil, err
		}
	}
	return x.results(session, e)
}

// wrongOriginal says what is wrong with an entry's original, "" for nothing.
func (x *checker) wrongOriginal(e sessions.Stored) string {
	switch {
	case e.Blob != "" && !x.blobs[e.Blob]:
		return fmt.Sprintf("(%d bytes, blob %.12s) is missing or damaged", e.Size, e.Blob)
	case e.Blob == "" && int64(len(e.Original)) != e.Size:
		return fmt.Sprintf("has %d bytes, not %d", len(e.Original), e.Size)
	case e.Message.From < 0 || e.Message.To < e.Message.From || int64(e.Message.To) > e.Size:
		return "ends before its message"
	}
	return ""
}

// lose drops the original of an entry, with the stubs of its results.
func (x *checker) lose(session string, e sessions.Stored) error {
	err := sessions.Lose(x.Tx, session, e.Seq, x.at)
	for _, r := range e.Results {
		err = cmp.Or(err, x.Tx.Delete(core.BucketStubs, core.StubKey(session, e.Seq, r.CallID)))
	}
	return err
}

// results checks that results stored as artifacts have their artifact and stub. If one is missing, the original is
// shown again.
func (x *checker) results(session string, e sessions.Stored) (mend func() error, err error) {
	e.Results = slices.Clone(e.Results)
	var stubs [][]byte
	for i := range e.Results {
		r := &e.Results[i]
		if r.Artifact == "" {
			continue
		}
		key := core.StubKey(session, e.Seq, r.CallID)
		raw, err := x.Tx.Get(core.BucketStubs, key)
		if err != nil {
			return nil, err
		}
		a, err := artifacts.Get(x.Tx, r.Artifact)
		if err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Corrupt) {
			return nil, err
		}
		if err == nil && raw != nil && (a.Forgotten != nil || x.blobs[a.Hash]) {
			continue
		}
		x.Find(sessions.Where(session, e.Seq), "the artifact %s of a result, or its stub, is missing", r.Artifact)
		r.Artifact, r.StubTokens = "", 0
		stubs = append(stubs, key)
	}
	if len(stubs) == 0 {
		return nil, nil
	}
	return func() error {
		return cmp.Or(kv.DeleteAll(x.Tx, core.BucketStubs, stubs), sessions.Replace(x.Tx, session, e))
	}, nil
}

// lostSummary replaces the text of a lost summary.
const lostSummary = "[The text of this summary was lost: its record was damaged. " +
	"`ctxledger restore` brings back what it replaced.]"

// compaction checks the text of a compaction.
func (x *checker) compaction(session string, e sessions.Stored, r compaction.Record) (mend func() error, err error) {
	if r.TextBlob != "" && !x.blobs[r.TextBlob] {
		x.FindLost(sessions.Where(session, e.Seq), "the text of summary %s, blob %.12s, is missing or damaged", r.ID,
			r.TextBlob)
		r.Text, r.TextBlob, r.TextHash = lostSummary, "", sessions.Digest([]byte(lostSummary))
		if e.Data, err = json.Marshal(r); err != nil {
			return nil, fault.Wrap(fault.Internal, "engine.check", err)
		}
		mend = func() error { return sessions.Replace(x.Tx, session, e) }
	}
	x.compacted = append(x.compacted, compacted{r, session, e.Seq})
	return mend, nil
}
