// Package kv is the ordered, transactional store under the ledger: buckets of enveloped
// records, and blobs for what is too large for a record.
//
// Start at Store, which Backends.Open returns for a URL. A backend (kv/bolt; others later) implements it and proves itself
// against the conformance suite in internal/storetest/kvtest. What only some stores can do are interfaces of their own:
// Compacted, Watched, Files.
//
// Guarantees: the effects of a call that returned without an error are on disk (acknowledged = durable); a
// record whose bytes changed on disk is an error of code corrupt, never a value; a function that fails
// inside Update changes nothing and does not affect the functions that are committed together with it;
// there is one writer per ledger.
//
// The package deliberately has no queries, no schema and no caching: domains own their keys.
package kv

import (
	"context"
	"io"
	"iter"
	"time"
)

// Bucket names a set of records. A domain package declares its buckets as constants.
type Bucket string

// Limits of one record. Store a longer payload as a blob.
const (
	MaxKey    = 512       // bytes of a key
	MaxInline = 32 << 10  // bytes of payload up to which a domain stores it inside its record
	MaxValue  = 256 << 10 // bytes of a whole value: inline payload and everything said about it
)

// Store is a ledger's storage. All methods are safe for concurrent use.
type Store interface {
	// View runs fn on an immutable snapshot. It returns fn's error unchanged.
	View(ctx context.Context, fn func(Tx) error) error

	// Update runs fn in a read-write transaction and returns when its effects are durable.
	// fn must have no effects outside the transaction, because it may run more than once: functions of
	// several callers are committed together, and when one fails, the others run again without it. fn's
	// error is returned unchanged and its changes are discarded. An error of
	// code unavailable means that the outcome is unknown (the context ended while waiting) or
	// that the storage failed (then nothing was kept).
	Update(ctx context.Context, fn func(Tx) error) error

	// PutBlob stores the bytes of r, at most limit of them (code too_large beyond), and returns
	// when they are durable. Equal content gives an equal BlobRef and is stored once; storing it again
	// updates its time in Blobs.
	PutBlob(ctx context.Context, r io.Reader, limit int64) (BlobRef, error)

	// OpenBlob opens a stored blob. Errors: not_found, corrupt.
	OpenBlob(ctx context.Context, hash string) (Blob, error)

	// DeleteBlob removes a blob's bytes. Removing an absent blob is not an error. Only garbage collection
	// and forgetting call it, for blobs without references.
	DeleteBlob(ctx context.Context, hash string) error

	// Blobs yields the stored blobs in order of hash, without opening them. Blobs that are added or deleted
	// meanwhile may be missing or included. An error ends the sequence.
	Blobs(ctx context.Context) iter.Seq2[StoredBlob, error]

	// Backup writes the store as a tar archive to w, with or without its blobs: a snapshot of the records
	// and every blob that it references, unless the blob is deleted meanwhile. Unpacked into an empty
	// directory, the archive is a store. Its entries are private (0600, 0700), name no user and are in
	// order: the records first, then the blobs by hash. Errors: corrupt when a record is damaged,
	// unavailable, and those of w unchanged.
	Backup(ctx context.Context, w io.Writer, blobs bool) error

	// Size returns what the store occupies on disk.
	Size(ctx context.Context) (Size, error)

	// Close waits for in-flight transactions, releases the store and its lock.
	Close() error
}

// Tx is one transaction. It is valid only inside the function that received it, and only on
// that goroutine. Returned byte slices are copies and may be kept.
type Tx interface {
	// Get returns the value of key, or nil when there is none. Errors: corrupt.
	Get(b Bucket, key []byte) ([]byte, error)

	// Put stores a value. Errors: too_large, denied (in a View).
	Put(b Bucket, key, value []byte) error

	// Delete removes a record. Removing an absent one is not an error.
	Delete(b Bucket, key []byte) error

	// Scan yields the records of a range in key order. A record that fails its checksum ends
	// the sequence with an error of code corrupt. The range must not be changed while scanning.
	Scan(b Bucket, r Range) iter.Seq2[Record, error]
}

// Record is one key and its value.
type Record struct {
	Key, Value []byte
}

// Range selects the keys that start with Prefix and lie in [From, To). A nil bound is open.
// Reverse yields the last key first.
type Range struct {
	Prefix, From, To []byte
	Reverse          bool
}

// BlobRef names a blob by the SHA-256 of its uncompressed bytes.
type BlobRef struct {
	Hash  string `json:"hash"`  // 64 lower-case hex digits
	Size  int64  `json:"size"`  // uncompressed bytes
	Lines int64  `json:"lines"` // number of lines: newlines, plus one for an unterminated last line
}

// Blob is an open blob. It reads any range without unpacking the content before it.
type Blob interface {
	io.ReaderAt
	io.Closer
	// Ref returns the blob's name, size and number of lines.
	Ref() BlobRef
	// LineOffset returns the byte offset at which line n (0-based) starts; n = Lines gives Size.
	// Errors: invalid for a line outside [0, Lines], corrupt.
	LineOffset(n int64) (int64, error)
}

// StoredBlob is the file of a blob in a store.
type StoredBlob struct {
	Hash     string    `json:"hash"`     // as in BlobRef
	Disk     int64     `json:"disk"`     // bytes of its file
	Modified time.Time `json:"modified"` // of the last PutBlob with its content
}

// Size is the disk usage of a store, in bytes, and the number of its blobs.
type Size struct {
	Records   int64 `json:"records"`
	Blobs     int64 `json:"blobs"`
	BlobCount int64 `json:"blob_count"`
}
