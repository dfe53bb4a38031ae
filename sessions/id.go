package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"ctxledger.dev/transcript"
)

// Lengths of identifiers, in hexadecimal digits.
const (
	idDigits     = 8  // of a session, when no other starts the same
	chainDigits  = 32 // of a message id
	HandleDigits = 12 // of a message id when it serves as a handle
)

// Digest returns the SHA-256 of an original in hexadecimal, the form in which blobs are named too.
func Digest(original []byte) string {
	sum := sha256.Sum256(original)
	return hex.EncodeToString(sum[:])
}

// ValueDigest returns the SHA-256 of the value of a message, which all its spellings share. Errors: those of
// transcript.Value.
func ValueDigest(f transcript.Format, message []byte) (string, error) {
	v, err := transcript.Value(f, message)
	return Digest(v), err
}

// MessageID returns the id of a received entry: a hash over the id of the entry received before it and a digest, of the value
// of a message that a host hands in, else of the original. prev is "" for the first entry of a conversation.
func MessageID(prev, digest string) string {
	sum := sha256.Sum256([]byte(prev + "\x00" + digest))
	return hex.EncodeToString(sum[:])[:chainDigits]
}

// hostDigest is the full hash from which the session id of a host's conversation is cut.
func hostDigest(host, hostID string) string {
	return Digest([]byte(host + "\x00" + hostID))
}

// isHex reports whether s consists of lower-case hexadecimal digits only.
func isHex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdef") == ""
}
