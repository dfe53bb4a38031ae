package compaction

import (
	"strings"

	"ctxledger.dev/internal/pattern"
)

// subject is what the statements under a heading are about.
type subject int

const (
	aboutAnything subject = iota // nothing is known
	aboutDone                    // what was done: each statement needs something that backs it
	aboutAhead                   // planned work: that it is not done yet is no objection
)

// Headings of the presets, and of models that choose their own, by what they introduce.
var (
	headsDone = pattern.Lazy(`(?i)^#+\s*(completed|done|artifacts|what was done|changes( made)?|accomplished|` +
		`finished)\b`)
	headsAhead = pattern.Lazy(`(?i)^#+\s*(open questions|remaining|next|in progress|blocked|to ?do|plan|goal|session ` +
		`intent|constraints)\b`)
)

// subjectOf returns the subject of a heading. A subheading without a known one keeps that of the section above.
func subjectOf(heading string, above subject) subject {
	switch {
	case headsDone().MatchString(heading):
		return aboutDone
	case headsAhead().MatchString(heading):
		return aboutAhead
	case strings.HasPrefix(heading, "###"):
		return above
	}
	return aboutAnything
}

// cutBullet splits a list item into its marker and its statement.
func cutBullet(l string) (bullet, statement string) {
	rest := strings.TrimLeft(l, " \t")
	for _, mark := range []string{"- [ ] ", "- [x] ", "* [x] ", "- ", "* ", "• "} {
		if after, ok := strings.CutPrefix(rest, mark); ok {
			return l[:len(l)-len(after)], after
		}
	}
	return l[:len(l)-len(rest)], rest
}

// isNone reports whether a statement only says that there is nothing to say.
func isNone(statement string) bool {
	switch strings.ToLower(strings.Trim(statement, " .*_")) {
	case "none", "none recorded", "n/a", "nothing":
		return true
	}
	return false
}
