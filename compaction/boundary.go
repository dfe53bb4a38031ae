package compaction

import (
	"strings"

	"ctxledger.dev/internal/chars"
)

// KeepRule says how much of a conversation stays verbatim: whole units from the newest back, as many as fit both
// bounds, but at least Messages, and the newest unit. A bound of 0 is none.
type KeepRule struct {
	Turns    int // newest turns; one may be split
	Tokens   int // in a small window at most half of it
	Messages int // newest messages, whatever the bounds say
}

// DefaultKeep is the rule where none is set.
var DefaultKeep = KeepRule{Turns: 10, Tokens: 6_000}

// full reports whether a tail of so many messages is enough: the next longer one would have so many turns and tokens.
func (k KeepRule) full(messages, turns, tokens int) bool {
	if messages < k.Messages {
		return false
	}
	return k.Turns > 0 && turns > k.Turns || k.Tokens > 0 && tokens > k.Tokens || k.Turns <= 0 && k.Tokens <= 0
}

// within returns the rule with a bound on tokens.
func (k KeepRule) within(tokens int) KeepRule {
	if k.Tokens <= 0 || tokens < k.Tokens {
		k.Tokens = max(1, tokens)
	}
	return k
}

// String returns the rule in words.
func (k KeepRule) String() string {
	var parts []string
	if k.Turns > 0 {
		parts = append(parts, chars.Plural(k.Turns, "turn"))
	}
	if k.Tokens > 0 {
		parts = append(parts, chars.Commas(k.Tokens)+" tokens")
	}
	if k.Messages > 0 {
		parts = append(parts, chars.Plural(k.Messages, "message"))
	}
	return strings.Join(parts, " or ")
}

// boundary returns the index of the first item that stays verbatim under the keep rule. start is the first item of the
// view.
func boundary(items []Item, ok []bool, start int, keep KeepRule) int {
	cut, sum, turns := len(items), 0, 0
	for i := len(items) - 1; i >= start; i-- {
		sum += items[i].Tokens
		if i == len(items)-1 || items[i].Turn != items[i+1].Turn {
			turns++
		}
		if !ok[i] && i > start {
			continue
		}
		if cut < len(items) && keep.full(len(items)-cut, turns, sum) {
			break
		}
		cut = i
	}
	return cut
}

// lastTurns returns the index of the first item of the newest n turns, moved to the older side
// until it is a border.
func lastTurns(items []Item, ok []bool, start, n int) int {
	cut, turns := len(items), 0
	for i := len(items) - 1; i >= start; i-- {
		if i == len(items)-1 || items[i].Turn != items[i+1].Turn {
			if turns++; turns > n {
				break
			}
		}
		cut = i
	}
	for cut > start && cut < len(items) && !ok[cut] {
		cut--
	}
	return cut
}

// usable is how much of the window may be used, in tokens; 0: unknown.
func (in *Input) usable() int {
	if in.Effective > 0 && (in.Window == 0 || in.Effective < in.Window) {
		return in.Effective
	}
	return in.Window
}

// keep is the rule for this conversation.
func (in *Input) keep() KeepRule {
	rule := in.Keep
	if rule == (KeepRule{}) {
		rule = DefaultKeep
	}
	if window := in.usable(); window > 0 && rule.Tokens > 0 {
		rule = rule.within(window / 2)
	}
	return rule
}
