package main

import (
	"bytes"
	"strings"
	"testing"

	"ctxledger.dev/cmd/internal/programtest"
)

// Malformed input does not fill the log of the host: once, each message had a line of its own.
func TestMalformedMessagesAreLoggedLessAndLess(t *testing.T) {
	var said bytes.Buffer
	place := programtest.NewPlace(t)
	place.StopDaemons(t)
	cmd := place.Command(t, binary)
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Repeat("Content-Length: 1\r\n\r\nx", 5_000)), &said
	_ = cmd.Run() // how it ends does not matter here
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if len(lines) < 10 || len(lines) > 40 || !strings.Contains(lines[len(lines)-1], "times=") {
		t.Errorf("%d lines, the last one: %.200s", len(lines), lines[len(lines)-1])
	}
}
