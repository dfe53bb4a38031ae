// Package defect holds the seeded defects: deliberate mistakes that a build tag puts into the
// product, so that the harnesses which are to catch such mistakes can show that they do.
//
// Start at the constants. The product asks one of them where the mistake would be made; all are
// false unless the program is built with the tag of one defect, "defect_" and its name, and the
// compiler then leaves nothing of the question. Two defects do not fit into one program: the
// declaration of seeded would be there twice.
//
// The package deliberately knows nothing of the harnesses; internal/crashtest says which one
// catches what.
package defect

// The defects.
const (
	// AckBeforeSync acknowledges a transaction before it is committed.
	AckBeforeSync = seeded == "ack_before_sync"
	// SkipSync writes transactions without waiting for the disk.
	SkipSync = seeded == "skip_sync"
	// DropChecksum takes every stored value for undamaged.
	DropChecksum = seeded == "drop_checksum"
	// LostKey does not store the key of a mutation, so that its repetition is applied again.
	LostKey = seeded == "lost_key"
	// StaleOwner gives the ledger's lock up as soon as the ledger is open: an owner that has been
	// taken over goes on answering.
	StaleOwner = seeded == "stale_owner"
)
