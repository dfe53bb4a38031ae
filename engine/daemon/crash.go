package daemon

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/safefs"
)

const (
	// causeSize bounds what an error quotes of a crash, in bytes.
	causeSize = 200
	// crashSize bounds a log that is searched for a crash, in bytes: it has about logSize, and the stacks of all goroutines.
	crashSize = 16 << 20
)

// crashWords begin the line in which Go's runtime says why a program dies.
var crashWords = []string{"panic:", "fatal error:", "SIG", "unexpected fault address", "runtime: out of memory"}

// crashOf returns why the owner with a pid died by itself, as its log has it: one line. "": it did not, or
// was killed, or could not say so. The runtime writes the reason of a crash before connections end.
func crashOf(state string, pid int) string {
	var log []byte
	for _, path := range []string{logPath(state) + ".1", logPath(state)} {
		content, err := safefs.ReadFile(path, crashSize)
		if err == nil {
			log = append(log, content...)
		}
	}
	begin := bytes.LastIndex(log, fmt.Appendf(nil, " msg=%s pid=%d ", ownMessage, pid))
	if begin < 0 {
		return ""
	}
	section := log[begin:]
	if end := bytes.Index(section[1:], []byte(" msg="+ownMessage+" pid=")); end >= 0 {
		section = section[:end+1]
	}
	_, section, _ = bytes.Cut(section, []byte("\n"))
	return crashLine(section)
}

// crashLine returns the line of what a program said when it died that says why, else the first one. Lines
// of a log are none of it.
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

// quotable returns a line of a crash as an error may show it: with secrets masked, without control
// characters, and short.
func quotable(e env.Env, line string) string {
	return chars.Short(chars.Line(redact.New([]byte(e.ID(maskKey))).String(line)), causeSize)
}
