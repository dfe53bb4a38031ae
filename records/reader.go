package records

import (
	"cmp"
	"context"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// Ledger is what showing the content of a ledger uses of it.
type Ledger interface {
	ledger.Events
	ledger.SessionReader
	ledger.Views
	ledger.Compactions
	ledger.ArtifactStore
	ledger.Blobs
	ledger.MemoryStore
	ledger.Files
	ledger.Erasure
	ledger.Calibration
}

// Reader reads a ledger for an editor.
type Reader struct {
	API Ledger
	Now time.Time // its zone is that of all times shown
	// Follows says that sessions are followed: what is not is not known to be live.
	Follows bool
	// Models has the prices by which sessions are said to have cost something; nil: those that every program knows.
	Models *tokens.Registry
}

// Text returns the document at an address. For a forgotten record it says so, and since when.
//
// Errors: those of the ledger; not_found for an unknown record.
func (r Reader) Text(ctx context.Context, a Address) (string, error) {
	switch a.Kind {
	case KindSession:
		return r.sessionText(ctx, a.ID)
	case KindSummary:
		return r.summaryText(ctx, a.ID)
	case KindArtifact:
		return r.artifactText(ctx, a.ID)
	case KindMemory:
		return r.memoryText(ctx, a.Scope, a.ID)
	case KindChange:
		return r.changeText(ctx, a.ID)
	case KindBefore, KindAfter:
		return r.sideText(ctx, a)
	}
	return "", fault.New(fault.Invalid, "records.text", "a %q has nothing to read", a.Kind)
}

// day formats the day of a time in the reader's zone, or the time of a day that is today's; "" for the zero time. It is
// short: the exact one is to be shown too.
func (r Reader) day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t, now := t.In(r.Now.Location()), r.Now
	switch {
	case t.Year() != now.Year():
		return t.Format("2006-01-02")
	case t.YearDay() != now.YearDay():
		return t.Format("Jan 2")
	}
	return t.Format("15:04")
}

// counters returns how each of these sessions is counted. Errors: those of ledger.CountersOf.
func (r Reader) counters(ctx context.Context, ids ...string) (map[string]tokens.Counter, error) {
	return ledger.CountersOf(ctx, r.API, cmp.Or(r.Models, tokens.Builtin()), ids)
}

// stamp formats a time in the reader's zone; "" for the zero time.
func (r Reader) stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(r.Now.Location()).Format("2006-01-02 15:04")
}
