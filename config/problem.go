package config

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
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

// UnmarshalText reads what MarshalText wrote; any other word is an error.
func (s *Severity) UnmarshalText(word []byte) error {
	for _, known := range []Severity{Error, Warning, Note} {
		if known.String() == string(word) {
			*s = known
			return nil
		}
	}
	return fmt.Errorf("unknown severity %q: error, warning or note", word)
}

// Problem is something in a configuration that keeps a setting, or a whole file, from being used.
type Problem struct {
	File     string   `json:"file"` // as in Source
	Severity Severity `json:"severity"`
	Code     string   `json:"code,omitempty"`       // of the rule: "CFG003"; docs/maintainers/defaults.md lists them
	Line     int      `json:"line,omitempty"`       // from 1; 0: it is about the whole file
	Column   int      `json:"column,omitempty"`     // in characters, from 1; 0: it is about the line
	End      int      `json:"end_column,omitempty"` // in that line: the first character after what it is about
	Key      string   `json:"key,omitempty"`        // an unknown one, as written
	Message  string   `json:"message"`              // in words, without the place
	Instead  string   `json:"instead,omitempty"`    // of the first error of a file: what is in effect instead of it
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
var position = pattern.Lazy(`^line (\d+)(?:, column (\d+))?: `)

// unusable returns the problem of a file that cannot be read, or is not YAML.
func (d *document) unusable(err error) Problem {
	p := Problem{File: d.name, Code: "CFG001", Message: err.Error(), Hint: fault.HintOf(err)}
	if m := position().FindStringSubmatch(p.Message); m != nil {
		line, _ := strconv.Atoi(m[1])   // digits
		column, _ := strconv.Atoi(m[2]) // digits or none
		message := p.Message[len(m[0]):]
		p = d.problem(line, column, "", Error, p.Code, message)
		p.Hint = fault.HintOf(err)
	}
	return p
}

// problem returns a problem at a place that the YAML reader named. It covers text, where that is written there as it
// is, or else the rest of the line, and always lies inside the file.
func (d *document) problem(line, column int, text string, s Severity, code, message string) Problem {
	p := Problem{File: d.name, Severity: s, Code: code, Message: message}
	if line < 1 {
		return p
	}
	var rest string
	p.Line, p.Column, rest = d.places.find(d.data, line, column)
	if column < 1 {
		p.Column = 0
		return p
	}
	if text != "" && strings.HasPrefix(rest, text) {
		rest = text
	}
	for p.End = p.Column; rest != "" && p.End < p.Column+longestMark; p.End++ {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	return p
}

// longestMark is how many characters a problem covers at most.
const longestMark = 200

// places finds lines and columns in a text. It goes on from the last place, since problems come in the order of the text.
type places struct {
	line, column int // from 1; 0: nothing was looked for
	offset       int
}

// find returns a line, a column in it and the rest of the line from there. Those that the text does not have become the
// last ones that it has. A byte order mark is no character.
func (p *places) find(text []byte, line, column int) (foundLine, foundColumn int, rest string) {
	if p.line == 0 || line < p.line || line == p.line && column < p.column {
		*p = places{1, 1, len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))}
	}
	for p.line < line {
		i := bytes.IndexByte(text[p.offset:], '\n')
		if i < 0 {
			break
		}
		p.line, p.column, p.offset = p.line+1, 1, p.offset+i+1
	}
	end := len(text)
	if i := bytes.IndexByte(text[p.offset:], '\n'); i >= 0 {
		end = p.offset + i
	}
	if end > p.offset && text[end-1] == '\r' {
		end--
	}
	for p.column < column && p.offset < end {
		_, size := utf8.DecodeRune(text[p.offset:end])
		p.column, p.offset = p.column+1, p.offset+size
	}
	return p.line, p.column, string(text[p.offset:min(end, p.offset+maxRest)])
}

// maxRest is how much of a line a problem can cover, in bytes: more than longestMark characters.
const maxRest = 4 << 10
