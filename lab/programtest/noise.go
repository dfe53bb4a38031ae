package programtest

import (
	"bytes"
	"strings"
	"testing"
)

// Noise has a server read one malformed message thousands of times, and wants its log to say so a few dozen times, with
// a count: the log of the host must not fill.
func Noise(t *testing.T, program, message string) {
	t.Helper()
	var said bytes.Buffer
	place := NewPlace(t)
	place.StopDaemons(t)
	cmd := place.Command(t, program)
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Repeat(message, 5_000)), &said
	_ = cmd.Run() // how it ends does not matter here
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if len(lines) < 10 || len(lines) > 40 || !strings.Contains(lines[len(lines)-1], "times=") {
		t.Errorf("%d lines, the last one: %.200s", len(lines), lines[len(lines)-1])
	}
}
