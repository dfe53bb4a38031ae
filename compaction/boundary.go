package compaction

import "ctxledger.dev/compaction/settings"

// boundary returns the index of the first item that stays verbatim under the keep rule. start is the first item of the
// view.
func boundary(items []Item, ok []bool, start int, rule settings.Keep) int {
	cut, sum, turns := len(items), 0, 0
	for i := len(items) - 1; i >= start; i-- {
		sum += items[i].Tokens
		if i == len(items)-1 || items[i].Turn != items[i+1].Turn {
			turns++
		}
		if !ok[i] && i > start {
			continue
		}
		if cut < len(items) && rule.Full(len(items)-cut, turns, sum) {
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
func (in *Input) keep() settings.Keep {
	rule := in.Keep
	if rule == (settings.Keep{}) {
		rule = settings.DefaultKeep
	}
	if window := in.usable(); window > 0 && rule.Tokens > 0 {
		rule = rule.Within(window / 2)
	}
	return rule
}
