package core

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
	BucketSummaries   kv.Bucket = "summaries"    // summary id → summaryPlace
	BucketSummaryText kv.Bucket = "summary_text" // SHA-256 of the text → summary id
)

// SummaryPlace is the position of a summary's record in the logs.
type SummaryPlace struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"`
}

// Restored is the payload of a KindRestore entry.
type Restored struct {
	ID string `json:"id"`
}

// Compactions folds the compactions of a session's log: all that were made, and the one in effect.
type Compactions struct {
	Records []compaction.Record
	Undone  map[string]time.Time
	At      map[string]int64 // the entries that hold the records
	Now     string           // id of the one in effect
}

// Add folds one more entry.
func (c *Compactions) Add(e *sessions.Entry) error {
	switch e.Kind {
	case sessions.KindCompaction:
		var r compaction.Record
		if err := json.Unmarshal(e.Data, &r); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.compactions", err)
		}
		if c.At == nil {
			c.At, c.Undone = map[string]int64{}, map[string]time.Time{}
		}
		c.Records = append(c.Records, r)
		c.At[r.ID] = e.Seq
		c.Now = r.ID
		delete(c.Undone, r.ID)
	case sessions.KindRestore:
		var r Restored
		if err := json.Unmarshal(e.Data, &r); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.compactions", err)
		}
		if !c.InForce(r.ID) {
			return fault.New(fault.Corrupt, "engine.compactions",
				"entry %d undoes compaction %.1000q, which was not in effect", e.Seq, r.ID)
		}
		for _, id := range c.Including(r.ID) {
			c.Undone[id] = e.Time
		}
		c.Undone[r.ID] = e.Time
		c.Now = c.before(r.ID)
	}
	return nil
}

// InForce reports whether a compaction is the current one or among those that the current one includes.
func (c *Compactions) InForce(id string) bool {
	for rec := c.current(); rec != nil; rec = c.record(rec.Previous) {
		if rec.ID == id {
			return true
		}
	}
	return false
}

// Including returns the compactions that were made after one in effect and include it, the newest first: to undo that one
// is to undo them.
func (c *Compactions) Including(id string) []string {
	var out []string
	for rec := c.current(); rec != nil && rec.ID != id; rec = c.record(rec.Previous) {
		out = append(out, rec.ID)
	}
	return out
}

// before returns the id of the compaction that was in effect before id, without restored ones.
func (c *Compactions) before(id string) string {
	for rec := c.record(id); rec != nil; rec = c.record(rec.Previous) {
		if _, gone := c.Undone[rec.Previous]; !gone {
			return rec.Previous
		}
	}
	return ""
}

// current returns the record in effect, or nil.
func (c *Compactions) current() *compaction.Record { return c.record(c.Now) }

// record returns the newest record with an id, or nil.
func (c *Compactions) record(id string) *compaction.Record {
	for i := len(c.Records) - 1; i >= 0 && id != ""; i-- {
		if c.Records[i].ID == id {
			return &c.Records[i]
		}
	}
	return nil
}

// SummaryText returns the text of a summary.
func (l *Ledger) SummaryText(ctx context.Context, r compaction.Record) (string, error) {
	if r.TextBlob == "" {
		return r.Text, nil
	}
	text, err := l.readBlob(ctx, r.TextBlob, limits.Line)
	return string(text), err
}

// ShownText returns the text of a summary as it is shown to others than the agent.
func (l *Ledger) ShownText(ctx context.Context, r compaction.Record) (string, error) {
	if r.Shown != "" {
		return r.Shown, nil
	}
	return l.SummaryText(ctx, r)
}

// SummaryAt returns the position of a summary's record; nil for an unknown id.
func SummaryAt(tx kv.Tx, id string) (*SummaryPlace, error) {
	var at SummaryPlace
	if found, err := kv.GetJSON(tx, BucketSummaries, []byte(id), &at); err != nil || !found {
		return nil, err
	}
	return &at, nil
}

// SummaryRecord returns the record of a summary; nil for an unknown id.
func SummaryRecord(tx kv.Tx, id string) (*compaction.Record, error) {
	at, err := SummaryAt(tx, id)
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

// summaryByText returns the summary whose text a host sends back as a message, or nil.
func summaryByText(tx kv.Tx, text string) (*compaction.Record, error) {
	id, err := tx.Get(BucketSummaryText, []byte(sessions.Digest([]byte(text))))
	if err != nil || id == nil {
		return nil, err
	}
	return SummaryRecord(tx, string(id))
}

// StoreText stores a summary's text in its record, or in a blob when it is too long. The caller holds the blobs: see
// HoldBlobs.
func (l *Ledger) StoreText(ctx context.Context, r compaction.Record, text string) (compaction.Record, error) {
	r.TextHash = sessions.Digest([]byte(text))
	if len(text) <= kv.MaxInline {
		r.Text = text
		return r, nil
	}
	ref, err := l.storeBlob(ctx, strings.NewReader(text))
	r.TextBlob = ref.Hash
	return r, err
}
