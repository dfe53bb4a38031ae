package sessions

// MaxID is how long a host's id may be to be kept as it is, in bytes.
const MaxID = 300

// ClipID keeps an id of a host; one longer than MaxID is replaced by its hash. Keys of calls have a limit of their own,
// see package callid: both are stored, so neither can change without a migration.
func ClipID(id string) string {
	if len(id) > MaxID {
		return Digest([]byte(id))
	}
	return id
}
