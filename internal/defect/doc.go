// Package defect holds the seeded defects: deliberate bugs that a special build has, to prove that the
// harnesses detect such bugs.
//
// Start at Seeded, which the product calls at the place of each defect. It returns false unless the program
// is built with the tag defects, and the compiler then removes the call. In a build with the tag the linker
// sets which defect the program has, at most one (see BuildFlags), so that the program is compiled once.
//
// The package deliberately does not know the harnesses; lab/crashtest says which one detects which defect.
package defect

// Defect is one of the seeded defects.
type Defect string

// The defects.
const (
	// AckBeforeSync acknowledges a transaction before it is committed.
	AckBeforeSync Defect = "ack_before_sync"
	// SkipSync writes transactions without waiting for the disk.
	SkipSync Defect = "skip_sync"
	// DropChecksum ignores the checksums of stored values.
	DropChecksum Defect = "drop_checksum"
	// LostKey does not store the key of a mutation, so that a repeated mutation is applied again.
	LostKey Defect = "lost_key"
	// StaleOwner releases the ledger's lock as soon as the ledger is open: the owner continues to answer
	// after another process has become the owner.
	StaleOwner Defect = "stale_owner"
)

// BuildFlags returns the arguments that have "go build" put the defect into a program with failpoints; "" puts in none.
func (d Defect) BuildFlags() []string {
	return []string{"-tags=failpoints,defects", "-ldflags=-X ctxledger.dev/internal/defect.seeded=" + string(d)}
}
