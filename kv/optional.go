package kv

import (
	"context"
	"io"

	"ctxledger.dev/internal/fault"
)

// Compacted is a Store that keeps deleted records until it is compacted.
type Compacted interface {
	// Vacuum rewrites the records, to reclaim space and to remove every byte of deleted records. Views
	// continue meanwhile, updates wait. Errors: corrupt when a record is damaged, unavailable when ctx ends
	// or the storage fails; then nothing has changed.
	Vacuum(ctx context.Context) error
}

// Watched is a Store in files that others can move, replace, or open to other users.
type Watched interface {
	// CheckLocation returns an error of code moved when the files are no longer where they were opened: data
	// written there would be lost.
	CheckLocation() error
	// Tighten makes every file private again. It visits each of them.
	Tighten() error
}

// Files is a Backend whose stores are files: it reads one that no process has open and that may be damaged. Errors say that
// the store could not be read: not_found, denied, locked or unavailable.
type Files interface {
	// Check reads all of a store and reports what is wrong with it as it is found. It changes nothing. Damage is a Problem,
	// not an error.
	Check(ctx context.Context, place string, report func(Problem)) (Checked, error)
	// Salvage copies what is intact into a new store, whose place must not hold one. known are buckets that may be there
	// although the damaged store does not name them any more. After an error the new store is not complete.
	Salvage(ctx context.Context, place, into string, report func(Problem), known ...Bucket) (Salvaged, error)
	// Search reports whether find finds anything in the records, deleted ones included, or in the content of a blob. whole
	// is false when a part could not be read. Errors of find are returned unchanged.
	Search(ctx context.Context, place string, find func(io.Reader) (bool, error)) (found, whole bool, err error)
}

// Problem is one thing that is wrong with a store.
type Problem struct {
	Where string     `json:"where"` // the page, bucket, record, blob or file
	What  string     `json:"what"`
	Code  fault.Code `json:"code"` // corrupt; denied for permissions; unavailable for what cannot be read
}

// Checked says how much was checked.
type Checked struct {
	Records  int64 `json:"records"` // those of the backend itself included
	Blobs    int64 `json:"blobs"`
	Problems int64 `json:"problems"`
}

// Salvaged says what was saved from a damaged store.
type Salvaged struct {
	Records   int64 `json:"records"`   // in the new store
	Strays    int64 `json:"strays"`    // of these, found outside the tree: older versions or deleted records perhaps
	Conflicts int64 `json:"conflicts"` // omitted: found outside the tree in several versions
	Blobs     int64 `json:"blobs"`
	Problems  int64 `json:"problems"` // that were reported
}
