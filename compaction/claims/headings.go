package claims

import (
	"strings"

	"ctxledger.dev/internal/pattern"
)

// Subject is what the statements under a heading are about.
type Subject int

const (
	AboutAnything Subject = iota // nothing is known
	AboutDone                    // what was done: each statement needs something that backs it
	AboutAhead                   // planned work: that it is not done yet is no objection
)

// Headings of the presets, and of models that choose their own, by what they introduce.
var (
	headsDone = pattern.Lazy(`(?i)^#+\s*(completed|done|artifacts|what was done|changes( made)?|accomplished|` +
		`finished)\b`)
	headsAhead = pattern.Lazy(`(?i)^#+\s*(open questions|remaining|next|in progress|blocked|to ?do|plan|goal|session ` +
		`intent|constraints)\b`)
)

// SubjectOf returns the subject of a heading. A subheading without a known one keeps that of the section above.
func SubjectOf(heading string, above Subject) Subject {
	switch {
	case headsDone().MatchString(heading):
		return AboutDone
	case headsAhead().MatchString(heading):
		return AboutAhead
	case strings.HasPrefix(heading, "###"):
		return above
	}
	return AboutAnything
}

// CutBullet splits a list item into its marker and its statement.
func CutBullet(l string) (bullet, statement string) {
	rest := strings.TrimLeft(l, " \t")
	for _, mark := range []string{"- [ ] ", "- [x] ", "* [x] ", "- ", "* ", "• "} {
		if after, ok := strings.CutPrefix(rest, mark); ok {
			return l[:len(l)-len(after)], after
		}
	}
	return l[:len(l)-len(rest)], rest
}

// IsNone reports whether a statement only says that there is nothing to say.
func IsNone(statement string) bool {
	switch strings.ToLower(strings.Trim(statement, " .*_")) {
	case "none", "none recorded", "n/a", "nothing":
		return true
	}
	return false
}
