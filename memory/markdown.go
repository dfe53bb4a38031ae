package memory

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
)

// Problem is something in an imported file that was not imported unchanged.
type Problem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // 1-based; 0: the file as a whole
	Message string `json:"message"`
}

// fenceLine begins and ends the front matter.
const fenceLine = "---"

// Format returns the Markdown file of an entry, memory_{guid}.md: guid, name, description, type, authors and dates as
// front matter, then the body. Parse gives back exactly these.
func Format(e Entry) []byte {
	var b bytes.Buffer
	b.WriteString(fenceLine + "\n")
	b.WriteString("guid: " + e.GUID + "\n") // as other programs write and read it: never in quotes
	for _, f := range []struct{ key, value string }{
		{"name", e.Name}, {"description", e.Description}, {"type", e.Type}, {keySource, e.Source},
		{keyUpdater, e.Updater}, {keyCreated, stamp(e.Created)}, {keyUpdated, stamp(e.Updated)},
		{keyScope, ofUser(e.Scope)},
	} {
		if f.value != "" || f.key == "description" { // which the seeds' readers expect
			b.WriteString(strings.TrimRight(f.key+": "+quote(f.value), " ") + "\n")
		}
	}
	b.WriteString(fenceLine + "\n")
	if e.Body != "" {
		b.WriteString("\n" + e.Body + "\n")
	}
	return b.Bytes()
}

// ofUser writes the scope of a fact of the user, which may be in any directory.
func ofUser(s Scope) string {
	if s != User {
		return ""
	}
	return string(s)
}

// stamp writes a date of a front matter, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// Parse reads a memory's Markdown file: front matter between two lines that are exactly "---", and
// the body behind it, less one empty line before and one line end after. Files with CRLF are read
// as if they had LF. A missing type is "project", an unknown one is kept. A guid that is missing or
// malformed is left empty, and so are authors and dates. Problems are what was not taken over; File is left to the caller.
//
// Errors: invalid when there is no front matter, or no name in it.
func Parse(file []byte) (Entry, []Problem, error) {
	const op = "memory.parse"
	text := string(bytes.TrimPrefix(file, []byte("\uFEFF")))
	var problems []Problem
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		problems = append(problems, Problem{Message: "bytes that are not UTF-8 became U+FFFD"})
	}
	if first, _, _ := strings.Cut(text, "\n"); strings.HasSuffix(first, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	rest, ok := strings.CutPrefix(text, fenceLine+"\n")
	if !ok {
		return Entry{}, problems, fault.New(fault.Invalid, op, "the file does not start with a --- line, so it "+
			"is not a memory")
	}
	front, body, ok := cutFront(rest)
	if !ok {
		return Entry{}, problems, fault.New(fault.Invalid, op, "the front matter is unclosed: the second --- "+
			"is missing")
	}
	fields, more := readFront(front)
	e, more2 := fields.entry()
	problems = append(append(problems, more...), more2...)
	e.Body = body
	if e.Name == "" {
		return Entry{}, problems, fault.New(fault.Invalid, op, "the front matter has no name")
	}
	return e, problems, nil
}

// cutFront cuts the text behind the first --- at the next line that is exactly that, and takes the
// line ends that Format writes around the body off it.
func cutFront(text string) (front, body string, ok bool) {
	for at := 0; at <= len(text); {
		line, _, more := strings.Cut(text[at:], "\n")
		next := min(at+len(line)+1, len(text))
		if line == fenceLine {
			body = strings.TrimSuffix(strings.TrimPrefix(text[next:], "\n"), "\n")
			return text[:at], body, true
		}
		if !more {
			break
		}
		at = next
	}
	return "", "", false
}

// String returns the problem with its place: "MEMORY.md:3: …".
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}
