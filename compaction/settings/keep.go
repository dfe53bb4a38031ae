package settings

import (
	"strings"

	"ctxledger.dev/internal/chars"
)

// Keep says how much of a conversation stays verbatim: whole units from the newest back, as many as fit both bounds,
// but at least Messages, and the newest unit. A bound of 0 is none.
type Keep struct {
	Turns    int // newest turns; one may be split
	Tokens   int
	Messages int // newest messages, whatever the bounds say
}

// DefaultKeep is the rule where none is set.
var DefaultKeep = Keep{Turns: 10, Tokens: 6_000}

// Full reports whether a tail of so many messages is enough: the next longer one would have so many turns and tokens.
func (r Keep) Full(messages, turns, tokens int) bool {
	if messages < r.Messages {
		return false
	}
	return r.Turns > 0 && turns > r.Turns || r.Tokens > 0 && tokens > r.Tokens || r.Turns <= 0 && r.Tokens <= 0
}

// Within returns the rule with at most so many tokens.
func (r Keep) Within(tokens int) Keep {
	if r.Tokens <= 0 || tokens < r.Tokens {
		r.Tokens = max(1, tokens)
	}
	return r
}

// String returns the rule in words.
func (r Keep) String() string {
	var parts []string
	if r.Turns > 0 {
		parts = append(parts, chars.Plural(r.Turns, "turn"))
	}
	if r.Tokens > 0 {
		parts = append(parts, chars.Plural(r.Tokens, "token"))
	}
	if r.Messages > 0 {
		parts = append(parts, chars.Plural(r.Messages, "message"))
	}
	return strings.Join(parts, " or ")
}
