package artifacts

import (
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

const opRead = "artifacts.read"

// Read returns the part of c that s asks for; Page.ID is left to the caller.
//
// A page's text is cut at a line border if there is one in reach, else between two characters, and
// Page.Next continues exactly there: the pages of a reading by lines, bytes, head, tail or from the
// start join to the bytes that were asked for. Bytes that are not UTF-8 show as U+FFFD each, and
// only they are not the original's. Grep, JSONPath and Search shorten single lines that are too
// long, and count a Limit under 200 as 200.
//
// Errors: invalid for a selection that breaks a rule, with the right form in the hint; too_large
// for a JSONPath on more than 16 MiB; corrupt.
func Read(c Content, s Selection) (Page, error) {
	if err := s.check(); err != nil {
		return Page{}, err
	}
	if s.Limit == 0 {
		s.Limit = limits.ArtifactText
	}
	p, err := s.reader()(c, s)
	if err != nil {
		return Page{}, err
	}
	p.TotalLines, p.TotalBytes = c.Lines(), c.Size()
	return p, nil
}

// reader returns the function for the kind of selection that s is.
func (s Selection) reader() func(Content, Selection) (Page, error) {
	switch {
	case s.Bytes != "":
		return readBytes
	case s.Grep != "":
		return readGrep
	case s.JSONPath != "":
		return readJSONPath
	case s.Search != "":
		return readSearch
	}
	return readLines
}

// Bounds of a selection's parts.
const (
	maxContext = 100   // lines around a match: more is a reading by lines
	maxPattern = 1_000 // characters of a pattern, path or query
	minRows    = 200   // the least Limit of grep, json_path and search, whose lines have prefixes
)

// check finds what breaks a rule in s, whatever the content.
func (s Selection) check() error {
	if set := s.set(); len(set) > 1 {
		return bad("one of "+strings.Join(set, ", "), "%s were given, but only one selection is allowed",
			strings.Join(set, " and "))
	}
	switch {
	case s.Head < 0:
		return bad("head=40", "head=%d is not a line count of 1 or more", s.Head)
	case s.Tail < 0:
		return bad("tail=40", "tail=%d is not a line count of 1 or more", s.Tail)
	case s.Limit < 0 || s.Limit > limits.ArtifactTextMax:
		return bad("limit=8000", "limit=%d is not a number of characters from 1 to %s", s.Limit,
			chars.Commas(limits.ArtifactTextMax))
	case s.Context < 0 || s.Context > maxContext:
		return bad(`grep="panic", context=3`, "context=%d is not a number of lines from 0 to %d", s.Context, maxContext)
	case s.Context > 0 && s.Grep == "":
		return bad(`grep="panic", context=3`, "context=%d requires `grep`", s.Context)
	case s.Path != "" && s.Grep == "":
		return bad(`grep="panic", path="store.go"`, "path=%q requires `grep`", s.Path)
	case s.After < 0 || s.After > 0 && s.Grep == "" && s.JSONPath == "" && s.Search == "":
		return bad(`grep="panic", after=120`, "after=%d needs `grep`, `json_path` or `search`, and is never "+
			"negative", s.After)
	}
	for _, t := range []string{s.Grep, s.Path, s.JSONPath, s.Search} {
		if len(t) > maxPattern {
			return bad(`search="connection refused"`, "a pattern of %d bytes is longer than the limit of %d", len(t),
				maxPattern)
		}
	}
	return nil
}

// set lists the selections that s holds, by their argument names in backticks.
func (s Selection) set() (names []string) {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"lines", s.Lines != ""}, {"bytes", s.Bytes != ""}, {"head", s.Head != 0}, {"tail", s.Tail != 0},
		{"grep", s.Grep != ""}, {"json_path", s.JSONPath != ""}, {"search", s.Search != ""},
	} {
		if f.set {
			names = append(names, "`"+f.name+"`")
		}
	}
	return names
}

// bad returns the error of a selection that breaks a rule; example is one that does not.
func bad(example, format string, args ...any) error {
	return fault.New(fault.Invalid, opRead, format, args...).
		WithHint("the right form: %s", example)
}
