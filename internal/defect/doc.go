// Package defect holds the seeded defects: deliberate mistakes that a build puts into the product,
// so that the harnesses which are to catch such mistakes can show that they do.
//
// Start at Seeded. The product asks it where the mistake would be made; the answer is no unless the
// program is built with the tag defects, and the compiler then leaves nothing of the question. In a
// build with the tag, BuildFlags has the linker say which defect the program has, one at most: programs
// with different defects are compiled once.
//
// The package deliberately knows nothing of the harnesses; lab/crashtest says which one
// catches what.
package defect

// Defect is one of the seeded defects.
type Defect string

// The defects.
const (
	// AckBeforeSync acknowledges a transaction before it is committed.
	AckBeforeSync Defect = "ack_before_sync"
	// SkipSync writes transactions without waiting for the disk.
	SkipSync Defect = "skip_sync"
	// DropChecksum takes every stored value for undamaged.
	DropChecksum Defect = "drop_checksum"
	// LostKey does not store the key of a mutation, so that its repetition is applied again.
	LostKey Defect = "lost_key"
	// StaleOwner gives the ledger's lock up as soon as the ledger is open: an owner that has been
	// taken over goes on answering.
	StaleOwner Defect = "stale_owner"
)

// BuildFlags returns the arguments that have "go build" put the defect into a program with failpoints.
func (d Defect) BuildFlags() []string {
	return []string{"-tags", "failpoints,defects", "-ldflags", "-X ctxledger.dev/internal/defect.seeded=" + string(d)}
}
