package ctxmcp

import (
	"testing"

	"ctxledger.dev/lab/programtest"
)

// Malformed input does not fill the log of the host: once, each message had a line of its own.
func TestMalformedMessagesAreLoggedLessAndLess(t *testing.T) {
	programtest.Noise(t, binary, "x\n")
}
