package compaction

import (
	"regexp"

	"ctxledger.dev/internal/pattern"
)

// A deed is something that is done with a command and changes no file of the session.
type deed struct {
	what  string                // in a word
	says  func() *regexp.Regexp // in a claim
	shows func() *regexp.Regexp // in the command that does it
}

// deeds are those that are known.
var deeds = []deed{
	{"commit", pattern.Lazy(`(?i)\bcommitted\b|\bcommit [0-9a-f]{7,40}\b`), pattern.Lazy(`\bgit\b.*\bcommit\b`)},
	{"push", pattern.Lazy(`(?i)\bpushed\b`), pattern.Lazy(`\bgit\b.*\bpush\b`)},
	{"merge", pattern.Lazy(`(?i)\b(merged|rebased)\b`), pattern.Lazy(`\b(merge|rebase|pull)\b`)},
	{"installation", pattern.Lazy(`(?i)\b(installed|upgraded)\b`),
		pattern.Lazy(`\b(install|add|get|upgrade|update|sync|i|ci)\b`)},
	{"deployment", pattern.Lazy(`(?i)\b(deployed|rolled out|shipped)\b`),
		pattern.Lazy(`(?i)deploy|kubectl|helm|terraform|docker|` +
			`rsync|\bscp\b|ansible|\bfly\b|vercel`)},
	{"publication", pattern.Lazy(`(?i)\b(published|tagged)\b`), pattern.Lazy(`(?i)publish|release|\btag\b|upload`)},
	{"migration", pattern.Lazy(`(?i)\bmigrat(ed|ions? (ran|applied))\b`), pattern.Lazy(`(?i)migrat`)},
	{"revert", pattern.Lazy(`(?i)\b(reverted|rolled back)\b`),
		pattern.Lazy(`\b(revert|checkout|restore|reset|stash)\b|rollback`)},
}

// claimed reports whether a text says that the deed was done.
func (d deed) claimed(text string) bool { return d.says().MatchString(text) }

// doneBy reports whether a command does the deed.
func (d deed) doneBy(command string) bool { return d.shows().MatchString(command) }
