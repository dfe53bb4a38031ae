package engine

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// The buckets of summaries. The records themselves are entries of the log.
const (
	bucketSummaries   kv.Bucket = "summaries"    // summary id → summaryPlace
	bucketSummaryText kv.Bucket = "summary_text" // SHA-256 of the text → summary id
)

// summaryPlace is where a summary's record stands.
type summaryPlace struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"`
}

// restored is the payload of a KindRestore entry.
type restored struct {
	ID string `json:"id"`
}

// compactions folds the compactions of a session's log: which were made, which is in force.
type compactions struct {
	records []compaction.Record
	undone  map[string]time.Time
	at      map[string]int64 // the entries that hold the records
	now     string           // id of the one in force
}

// add takes an entry into account.
func (c *compactions) add(e *sessions.Entry) error {
	switch e.Kind {
	case sessions.KindCompaction:
		var r compaction.Record
		if err := json.Unmarshal(e.Data, &r); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.compactions", err)
		}
		if c.at == nil {
			c.at, c.undone = map[string]int64{}, map[string]time.Time{}
		}
		c.records = append(c.records, r)
		c.at[r.ID] = e.Seq
		c.now = r.ID
		delete(c.undone, r.ID)
	case sessions.KindRestore:
		var r restored
		if err := json.Unmarshal(e.Data, &r); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.compactions", err)
		}
		if !c.inForce(r.ID) {
			return fault.New(fault.Corrupt, "engine.compactions", "entry %d takes back compaction %.1000q, which was not in force", e.Seq, r.ID)
		}
		c.undone[r.ID] = e.Time
		c.now = c.before(r.ID)
	}
	return nil
}

// inForce reports whether the view rests on a compaction: it is the current one or among those that
// the current one includes.
func (c *compactions) inForce(id string) bool {
	for rec := c.current(); rec != nil; rec = c.record(rec.Previous) {
		if rec.ID == id {
			return true
		}
	}
	return false
}

// before returns the id of the compaction that was in force before id, skipping those taken back.
func (c *compactions) before(id string) string {
	for rec := c.record(id); rec != nil; rec = c.record(rec.Previous) {
		if _, gone := c.undone[rec.Previous]; !gone {
			return rec.Previous
		}
	}
	return ""
}

// current returns the record in force, or nil.
func (c *compactions) current() *compaction.Record { return c.record(c.now) }

// record returns the newest record with an id, or nil.
func (c *compactions) record(id string) *compaction.Record {
	for i := len(c.records) - 1; i >= 0 && id != ""; i-- {
		if c.records[i].ID == id {
			return &c.records[i]
		}
	}
	return nil
}

// summaryText returns the text of a summary.
func (l *Local) summaryText(ctx context.Context, r compaction.Record) (string, error) {
	if r.TextBlob == "" {
		return r.Text, nil
	}
	text, err := l.readBlob(ctx, r.TextBlob, limits.Line)
	return string(text), err
}

// shownText returns the text of a summary as others than the agent see it.
func (l *Local) shownText(ctx context.Context, r compaction.Record) (string, error) {
	if r.Shown != "" {
		return r.Shown, nil
	}
	return l.summaryText(ctx, r)
}

// summaryAt finds where a summary's record stands; nil when there is none.
func summaryAt(tx kv.Tx, id string) (*summaryPlace, error) {
	raw, err := tx.Get(bucketSummaries, []byte(id))
	if err != nil || raw == nil {
		return nil, err
	}
	var at summaryPlace
	if err := json.Unmarshal(raw, &at); err != nil {
		return nil, fault.Wrap(fault.Corrupt, "engine.summary", err)
	}
	return &at, nil
}

// summaryRecord finds a summary by its id; nil when there is none.
func summaryRecord(tx kv.Tx, id string) (*compaction.Record, error) {
	at, err := summaryAt(tx, id)
	if err != nil || at == nil {
		return nil, err
	}
	e, err := sessions.GetEntry(tx, at.Session, at.Seq)
	if err != nil {
		return nil, err
	}
	var r compaction.Record
	if err := json.Unmarshal(e.Data, &r); err != nil {
		return nil, fault.Wrap(fault.Corrupt, "engine.summary", err)
	}
	return &r, nil
}

// summaryByText finds the summary whose text a host hands back as a message, or nil.
func summaryByText(tx kv.Tx, text string) (*compaction.Record, error) {
	id, err := tx.Get(bucketSummaryText, []byte(sessions.Digest([]byte(text))))
	if err != nil || id == nil {
		return nil, err
	}
	return summaryRecord(tx, string(id))
}

// keepText puts a summary's text into its record, or into a blob when it is too long for one. The caller
// holds l.naming for reading.
func (l *Local) keepText(ctx context.Context, r compaction.Record, text string) (compaction.Record, error) {
	r.TextHash = sessions.Digest([]byte(text))
	if len(text) <= kv.MaxInline {
		r.Text = text
		return r, nil
	}
	ref, err := l.storeBlob(ctx, strings.NewReader(text))
	r.TextBlob = ref.Hash
	return r, err
}
