package feedback

import (
	"strings"

	"ctxledger.dev/internal/pattern"
)

// standingRule recognises the start of a sentence that sets a rule for all later work.
var standingRule = pattern.Lazy(`(?im)\bfrom now on\b|(^|[.!?;:]\s+)(please\s+)?(always|never|in (the )?future,|going ` +
	`forward|for the rest of (this|the)|remember (to|that|not)|make sure (to|that) (always|never)|do not ever|` +
	`don't ever)\b`)

// correction recognises a message that takes something back.
var correction = pattern.Lazy(`(?i)^(no[,.! ]|stop\b|don't\b|do not\b|actually\b|instead\b|wrong\b|not (that|like|` +
	`what)\b|revert\b|undo\b|that's (wrong|not)\b)`)

// Standing says why a message of the user binds all later work, "" when it does not. It is a
// guess by the words it starts with, which costs a line when it is wrong.
func Standing(text string) string {
	text = strings.TrimSpace(text)
	switch {
	case standingRule().MatchString(text):
		return "standing rule"
	case correction().MatchString(text):
		return "correction"
	default:
		return ""
	}
}
