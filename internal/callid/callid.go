// Package callid makes keys of the ids that hosts give to calls. Start at Key.
package callid

import (
	"crypto/sha256"
	"encoding/hex"
)

// maxLen bounds a call id in a key, in bytes. Hosts use about 30.
const maxLen = 200

// Key returns the key of a call in an index: session NUL clipped call id.
func Key(session, id string) []byte { return []byte(session + "\x00" + Clip(id)) }

// Clip makes an id fit for a key: one that is too long is replaced by its SHA-256.
func Clip(id string) string {
	if len(id) <= maxLen {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}
