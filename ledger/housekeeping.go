package ledger

import (
	"context"
	"time"
)

// Housekeeping maintains the ledger on disk.
type Housekeeping interface {
	// DiskUsage returns the disk space of the ledger, and how much of it can be freed.
	DiskUsage(ctx context.Context, r DiskUsageRequest) (DiskUsage, error)
	// CollectGarbage deletes unreferenced data and reclaims the space of deleted records.
	CollectGarbage(ctx context.Context, r CollectGarbageRequest) (Collected, error)
	// Backup writes the ledger into a file while it is in use. invalid: the place is not allowed;
	// conflict: the file exists.
	Backup(ctx context.Context, r BackupRequest) (BackedUp, error)
}

// DiskUsageRequest asks what the ledger occupies.
type DiskUsageRequest struct{}

// DiskUsage says what the ledger occupies. Bytes are those of files unless a field says otherwise.
type DiskUsage struct {
	State   string    `json:"state"`   // state directory
	Total   int64     `json:"total"`   // everything in it
	Records int64     `json:"records"` // the file of records
	Blobs   BlobUsage `json:"blobs"`
	// Unnamed are the unreferenced blobs that are old enough to be deleted: what gc would free.
	Unnamed BlobUsage `json:"unnamed"`
	Exports int64     `json:"exports"`
	Logs    int64     `json:"logs"`
	Reserve int64     `json:"reserve"` // the file that makes room for deleting on a full disk
	// Kept are the copies that were kept when a newer version changed the ledger, see Collected.
	Kept int64 `json:"kept"`
	// Sessions are the largest ones, largest first, at most 100; SessionTotal is how many there are.
	Sessions     []SessionUsage `json:"sessions"`
	SessionTotal int            `json:"session_total"`
	Artifacts    CountedBytes   `json:"artifacts"` // bytes of the content
	Memories     CountedBytes   `json:"memories"`  // bytes of the texts
	Requests     CountedBytes   `json:"requests"`  // that a proxy measured
}

// BlobUsage is what a set of blobs occupies.
type BlobUsage struct {
	Count   int64 `json:"count"`
	Disk    int64 `json:"disk"`              // compressed, in files
	Content int64 `json:"content,omitempty"` // uncompressed, as far as records say; 0: unknown
}

// CountedBytes is a number of things and the bytes in them.
type CountedBytes struct {
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
}

// SessionUsage is what one session occupies. A blob that several sessions name counts for each.
type SessionUsage struct {
	ID      string    `json:"id"`
	Title   string    `json:"title,omitempty"`
	Updated time.Time `json:"updated"`
	Entries int64     `json:"entries"`
	Log     int64     `json:"log"` // bytes of its records
	Blobs   BlobUsage `json:"blobs"`
}

// CollectGarbageRequest asks for a garbage collection.
type CollectGarbageRequest struct{}

// Collected says what a garbage collection freed.
type Collected struct {
	Blobs   BlobUsage `json:"blobs"`   // that were deleted
	Copies  int64     `json:"copies"`  // bytes of copies kept from migrations, which were old enough to go
	Before  int64     `json:"before"`  // bytes of the file of records
	Records int64     `json:"records"` // the same afterwards
}

// BackupRequest asks for a backup.
type BackupRequest struct {
	// File is the archive to be written: an absolute path outside the state directory. It must
	// not exist.
	File string `json:"file"`
	// RecordsOnly leaves the blobs out: for a check, which finds them in their place.
	RecordsOnly bool `json:"records_only,omitempty"`
}

// BackedUp says what a backup holds.
type BackedUp struct {
	File    string  `json:"file"`
	Bytes   int64   `json:"bytes"`
	Records int64   `json:"records"` // bytes of the file of records in it
	Blobs   int64   `json:"blobs"`   // how many
	Seconds float64 `json:"seconds"`
}
