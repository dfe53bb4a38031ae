package config

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
)

// Severity says what a problem means.
type Severity int

// The severities.
const (
	Error   Severity = iota // the file is not used
	Warning                 // a setting is not used, or two contradict each other
	Note                    // a setting of another program has no effect here
)

// String returns the severity in a word.
func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// MarshalText returns String.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Problem is something in a configuration that keeps a setting, or a whole file, from being used.
type Problem struct {
	File     string   `json:"file"` // as in Source
	Severity Severity `json:"severity"`
	Line     int      `json:"line,omitempty"`       // from 1; 0: it is about the whole file
	Column   int      `json:"column,omitempty"`     // in characters, from 1; 0: it is about the line
	End      int      `json:"end_column,omitempty"` // in that line: the first character after what it is about
	Key      string   `json:"key,omitempty"`        // an unknown one, as written
	Message  string   `json:"message"`              // in words, without the place
	Instead  string   `json:"instead,omitempty"`    // of the first error of a file: what is in force instead of it
	Hint     string   `json:"hint,omitempty"`       // the one thing to do about it, if there is one
}

// Place returns where the problem is: "ctxledger.yaml:3:1".
func (p Problem) Place() string {
	text := p.File
	if p.Line > 0 {
		text += ":" + strconv.Itoa(p.Line)
	}
	if p.Column > 0 {
		text += ":" + strconv.Itoa(p.Column)
	}
	return text
}

// String returns the problem with its place: "ctxledger.yaml:3:1: …".
func (p Problem) String() string {
	text := p.Place() + ": " + p.Message
	if p.Instead != "" {
		text += "; " + p.Instead
	}
	return text
}

// position is how errors about a document begin.
var position = regexp.MustCompile(`^line (\d+)(?:, column (\d+))?: `)

// unusable returns the problem of a file that cannot be read, or is no YAML.
func (d document) unusable(err error) Problem {
	p := Problem{File: d.name, Message: err.Error(), Hint: fault.HintOf(err)}
	if m := position.FindStringSubmatch(p.Message); m != nil {
		line, _ := strconv.Atoi(m[1])   // digits
		column, _ := strconv.Atoi(m[2]) // digits or none
		message := p.Message[len(m[0]):]
		p = d.problem(line, column, "", Error, message)
		p.Hint = fault.HintOf(err)
	}
	return p
}

// problem returns a problem at a place that the YAML reader named. It covers text, where that is written there as it
// is, or else the rest of the line, and always lies inside the file.
func (d document) problem(line, column int, text string, s Severity, message string) Problem {
	p := Problem{File: d.name, Severity: s, Message: message}
	lines := strings.Split(string(d.data), "\n")
	if line < 1 {
		return p
	}
	p.Line = min(line, len(lines))
	if column < 1 {
		return p
	}
	written := strings.TrimRight(strings.TrimPrefix(lines[p.Line-1], "\ufeff"), "\r")
	length := utf8.RuneCountInString(written)
	p.Column = min(column, length+1)
	rest := string([]rune(written)[p.Column-1:])
	if p.End = length + 1; text != "" && strings.HasPrefix(rest, text) {
		p.End = p.Column + utf8.RuneCountInString(text)
	}
	return p
}
