package memory

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// Scope says for whom a memory is kept.
type Scope string

// The scopes: this workspace, or the user everywhere.
const (
	Project Scope = "project"
	User    Scope = "user"
)

// Entry is one named fact that outlives sessions.
type Entry struct {
	GUID        string `json:"guid"` // 32 lower-case hex digits
	Name        string `json:"name"` // unique in its scope, in every case and Unicode form
	Description string `json:"description"`
	Type        string `json:"type"` // any; those that recalls rank are user, feedback, project and the like
	Scope       Scope  `json:"scope"`
	// Source is who wrote it first: "agent:claude-code", "user", "import:FILE".
	Source string `json:"source"`
	// Updater is who changed it last, if that was somebody else.
	Updater string    `json:"updated_by,omitempty"`
	Created time.Time `json:"created_at"`
	Updated time.Time `json:"updated_at"`
	Body    string    `json:"body,omitempty"`
	Score   float64   `json:"score,omitempty"`  // of a recall: higher fits better
	Masked  int       `json:"masked,omitempty"` // secrets masked by this save; never stored
	// Deleted is when it was deleted: no list shows it, and Restore brings it back.
	Deleted *time.Time `json:"deleted_at,omitempty"`
}

// Bounds of what describes a memory, in characters.
const (
	maxType   = 50
	maxSource = 300
)

// tidy fills in what may be left out and removes what means nothing.
func (e Entry) tidy() Entry {
	e.Name = strings.TrimSpace(e.Name)
	e.Description = strings.TrimSpace(e.Description)
	if e.Scope == "" {
		e.Scope = Project
	}
	if e.Type = strings.TrimSpace(e.Type); e.Type == "" {
		e.Type = string(e.Scope) // both are kinds of facts too
	}
	e.Created, e.Updated = e.Created.UTC().Round(0), e.Updated.UTC().Round(0)
	e.Score, e.Masked, e.Deleted = 0, 0, nil
	return e
}

// CheckNew returns the rule that an entry breaks which somebody writes by hand: it has a body.
func (e Entry) CheckNew() error {
	if strings.TrimSpace(e.Body) == "" {
		return fault.New(fault.Invalid, "memory.save", "a memory needs a body: the fact itself").
			WithHint("give it with --body, or on standard input")
	}
	return nil
}

// says reports whether e says what o does.
func (e Entry) says(o Entry) bool {
	return e.Name == o.Name && e.Description == o.Description && e.Type == o.Type && e.Body == o.Body
}

// byAgent reports whether an agent wrote an entry.
func byAgent(source string) bool { return strings.HasPrefix(source, "agent:") }

// check returns the first rule that a tidy entry breaks.
func (e Entry) check() error {
	const op = "memory.save"
	for _, f := range []struct {
		what, text string
		min, max   int
	}{
		{"name", e.Name, 1, limits.MemoryName},
		{"description", e.Description, 0, limits.MemoryDesc},
		{"type", e.Type, 1, maxType},
		{"source", e.Source, 0, maxSource},
		{"updated_by", e.Updater, 0, maxSource},
	} {
		switch n := utf8.RuneCountInString(f.text); {
		case n < f.min:
			return fault.New(fault.Invalid, op, "a memory needs a %s of %d to %d characters", f.what, f.min, f.max)
		case n > f.max:
			return fault.New(fault.Invalid, op, "the %s of a memory has %d characters, more than the limit of %d",
				f.what, n, f.max)
		case !utf8.ValidString(f.text) || strings.ContainsFunc(f.text, breaksLine):
			return fault.New(fault.Invalid, op, "the %s %q is not one line of plain text", f.what, f.text)
		}
	}
	switch {
	case e.Scope != Project && e.Scope != User:
		return fault.New(fault.Invalid, op, "unknown scope %q: use project or user", e.Scope)
	case len(e.Body) > limits.MemoryBody:
		return fault.New(fault.TooLarge, op, "the body of memory %q has %d bytes, more than the limit of %d", e.Name,
			len(e.Body), limits.MemoryBody).
			WithHint("keep the fact and name the file or artifact that has the rest")
	case !utf8.ValidString(e.Body):
		return fault.New(fault.Invalid, op, "the body of memory %q is not UTF-8", e.Name)
	case !isGUID(e.GUID):
		return fault.New(fault.Invalid, op, "%q is not a guid of 32 lower-case hex digits", e.GUID)
	}
	return nil
}

// breaksLine reports whether r is a control character or ends a line.
func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// isGUID reports whether s has 32 lower-case hex digits.
func isGUID(s string) bool {
	const digits = 32
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

// fold returns name in the form that is equal for names which differ only in case. Earlier versions had it in their
// keys.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
		return unicode.ToLower(least)
	}, strings.TrimSpace(name))
}
