package artifacts

import (
	"bytes"
	"fmt"
	"strings"
)

// headingStart begins the line above each message where a content is several of them.
const headingStart = "[message "

// Heading returns the line above a message in a content of several: its handle, turn and role, and the tool calls that
// it answers ("Read main.go"). A search counts its words in every passage of the message: often only the call says what a
// result is about.
func Heading(handle string, turn int, role string, calls []string) string {
	about := ""
	if len(calls) > 0 {
		about = ": " + prefix(oneLine(strings.Join(calls, "; ")), maxLabel)
	}
	return fmt.Sprintf("%s%s, turn %d, %s%s]", headingStart, handle, turn, role, about)
}

// headingOf returns the heading that a line is, or nil.
func headingOf(line []byte) []byte {
	if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte(headingStart)) && bytes.HasSuffix(line, []byte("]")) {
		return line
	}
	return nil
}
