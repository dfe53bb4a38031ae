package graph

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
)

// Severity says how serious a finding is.
type Severity string

// The severities, most serious first.
const (
	Error       Severity = "error"
	Warning     Severity = "warning"
	Information Severity = "information"
	Hint        Severity = "hint"
	Off         Severity = "off" // of Settings: a finding is left out
)

// Finding is something to know about a document. Codes are stable; docs/graph.md explains each.
type Finding struct {
	Code     string    `json:"code"`
	Severity Severity  `json:"severity"`
	At       Span      `json:"at"`
	Message  string    `json:"message"`
	Related  []Related `json:"related,omitempty"`
	Fix      *Fix      `json:"fix,omitempty"`
}

// Unread returns what is to be said of a document that cannot be read.
func (s Settings) Unread(err error) []Finding {
	severity := cmp.Or(s.Severities["CG001"], Error)
	if severity == Off {
		return nil
	}
	return []Finding{{Code: "CG001", Severity: severity, Message: err.Error()}}
}

// Related is another place that a finding speaks of.
type Related struct {
	At      Span   `json:"at"`
	Message string `json:"message"`
}

// Fix is a change that removes a finding.
type Fix struct {
	Title string `json:"title"`
	At    Span   `json:"at"`
	Text  string `json:"text"` // that takes the place of At
}

// moved returns the finding elsewhere.
func (f Finding) moved(by int) Finding {
	f.At = f.At.moved(by)
	f.Related = slices.Clone(f.Related)
	for i := range f.Related {
		f.Related[i].At = f.Related[i].At.moved(by)
	}
	if f.Fix != nil {
		f.Fix = &Fix{f.Fix.Title, f.Fix.At.moved(by), f.Fix.Text}
	}
	return f
}

// syntaxError returns the finding of an error in the YAML of a body, at its line if that is named.
func syntaxError(source string, body Span, err error) Finding {
	message := err.Error()
	if fe, ok := errors.AsType[*fault.Error](err); ok {
		message = fe.Message
	}
	at := body
	if line, rest, named := lineNamed(message); named {
		message = rest
		text := body.In(source)
		starts := lineStarts(text)
		from := body.From + offsetOf(text, starts, min(max(line, 1), len(starts)), 1)
		end, _, _ := strings.Cut(source[from:body.To], "\n")
		at = Span{from, from + len(strings.TrimRight(end, "\r"))}
	}
	return Finding{Code: "CG204", Severity: Error, At: at, Message: "this is not YAML: " + message}
}

// lineNamed separates "line 3: " from the front of a message.
func lineNamed(message string) (line int, rest string, named bool) {
	after, found := strings.CutPrefix(message, "line ")
	digits, rest, cut := strings.Cut(after, ": ")
	for _, c := range digits {
		if c < '0' || c > '9' || line > 1<<20 {
			return 0, message, false
		}
		line = line*10 + int(c-'0')
	}
	return line, rest, found && cut && digits != ""
}
