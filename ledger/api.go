package ledger

// API is everything that can be asked of a ledger. Package engine implements it on an open store, its client over
// a socket. Requests and responses are plain values; a request that changes something embeds Mutation, and the
// same key with the same body gets the same answer, once applied.
//
// Every method's error is a *fault.Error: not_found for an unknown or forgotten thing, invalid for a request that
// breaks a rule, conflict for an ambiguous one, unavailable when the ledger cannot be reached within the deadline,
// corrupt for damaged records.
type API interface {
	Events
	Recorder
	SessionReader
	Views
	Compactions
	ArtifactStore
	Blobs
	MemoryStore
	Files
	Observations
	Erasure
	Housekeeping
	Calibration

	// Close releases the ledger, or the connection to it.
	Close() error
}

// Mutation is embedded in every request that changes the ledger.
type Mutation struct {
	// Key makes the request safe to repeat: it is applied once and answered the same for a day.
	// The same key with another body is a conflict. A client fills an empty one with a random key.
	Key string `json:"key,omitempty"`
}

// What the functions of this package need together.
type (
	// A LogReader reads sessions with all their originals.
	LogReader interface {
		SessionReader
		Blobs
	}
	// A ViewReader reads views with all their messages.
	ViewReader interface {
		Views
		Blobs
	}
	// A Shrinker makes views smaller, and reads them.
	Shrinker interface {
		ViewReader
		Compactions
	}
	// A MessageTaker takes in conversations of any length.
	MessageTaker interface {
		Recorder
		Blobs
	}
)
