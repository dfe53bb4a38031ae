package compaction

// The keep rule: the newest units stay verbatim until one of these is reached.
const (
	keepTurns  = 10
	keepTokens = 6_000
)

// boundary returns the index of the first item that stays verbatim under the keep rule: whole units
// from the newest back, until keepTurns turns or the tokens are reached, whichever comes first, but
// at least the newest unit. A turn may be split. start is the first item of the view.
func boundary(items []Item, ok []bool, start, limit int) int {
	cut, sum, turns := len(items), 0, 0
	for i := len(items) - 1; i >= start; i-- {
		sum += items[i].Tokens
		if i == len(items)-1 || items[i].Turn != items[i+1].Turn {
			turns++
		}
		if !ok[i] && i > start {
			continue
		}
		if cut < len(items) && (sum > limit || turns > keepTurns) {
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

// keepLimit is the number of tokens kept verbatim: in a small window at most half of it.
func keepLimit(window int) int {
	if window > 0 {
		return min(keepTokens, window/2)
	}
	return keepTokens
}
