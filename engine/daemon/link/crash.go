package link

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/safefs"
)

const (
	// causeSize bounds the quotation of a crash in an error, in bytes.
	causeSize = 200
	// crashSize bounds a log that is searched for a crash, in bytes: about logSize plus the stacks of all goroutines.
	crashSize = 16 << 20
)

// crashWords start the line in which Go's runtime reports why a program crashes.
var crashWords = []string{"panic:", "fatal error:", "SIG", "unexpected fault address", "runtime: out of memory"}

// crashOf returns the line of an owner's log that says why it crashed; "" if it did not, or was killed, or
// logged nothing. The runtime logs the reason of a crash before connections end.
func crashOf(state string, pid int) string {
	var log []byte
	for _, path := range []string{LogPath(state) + ".1", LogPath(state)} {
		content, err := safefs.ReadFile(path, crashSize)
		if err == nil {
			log = append(log, content...)
		}
	}
	begin := bytes.LastIndex(log, fmt.Appendf(nil, " msg=%s pid=%d ", OwnMessage, pid))
	if begin < 0 {
		return ""
	}
	section := log[begin:]
	if end := bytes.Index(section[1:], []byte(" msg="+OwnMessage+" pid=")); end >= 0 {
		section = section[:end+1]
	}
	_, section, _ = bytes.Cut(section, []byte("\n"))
	return crashLine(section)
}

// crashLine returns the line of a crashed program's output that gives the reason, else the first line.
// It skips lines of the log.
func crashLine(text []byte) string {
	first := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case slices.ContainsFunc(crashWords, func(w string) bool { return strings.HasPrefix(line, w) }):
			return line
		case first == "" && !strings.HasPrefix(line, "time="):
			first = line
		}
	}
	return first
}

// quotable returns a line of a crash for an error message: secrets masked, no control characters, short.
func quotable(e env.Env, line string) string {
	return chars.Short(chars.Line(redact.New([]byte(e.ID(MaskKey))).String(line)), causeSize)
}

// MaskKey is the size of the key for masking secrets, in bytes.
const MaskKey = 32

// LogPath returns where the daemon of a state directory logs.
func LogPath(state string) string { return filepath.Join(state, "log", "daemon.log") }

// OwnMessage is the log message of a starting owner: the records up to the next one are its own.
const OwnMessage = "own"
