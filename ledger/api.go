package ledger

// API is everything that a client can ask of a ledger. Package engine implements it on an open store, its client over
// a socket. Requests and responses are plain values. A request that changes something embeds Mutation; repeated with
// the same key and body, it is applied once and gets the same response.
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
	Servers
	Hooks
	ModelRequests

	// Close releases the ledger, or the connection to it.
	Close() error
}

// Mutation is embedded in every request that changes the ledger.
type Mutation struct {
	// Key makes the request safe to repeat: it is applied once, and a repetition gets the same response for a day. The
	// same key with another body is a conflict. A client replaces an empty key by a random one.
	Key string `json:"key,omitempty"`
}

// Combinations of roles that functions of this package need.
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
