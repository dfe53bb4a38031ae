package window

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// maxCorrections is how many corrections are pinned, the newest ones.
const maxCorrections = 20

// Filtered counts what a filter left out of a view, in messages.
type Filtered struct {
	Before int `json:"messages_before"`
	After  int `json:"messages_after"`
	// Removed because of content other than text, the author, the age, and the bound of messages.
	TextOnly int `json:"text_only,omitempty"`
	Excluded int `json:"excluded,omitempty"`
	Age      int `json:"age,omitempty"`
	Tail     int `json:"tail,omitempty"`
	Pinned   int `json:"pinned,omitempty"` // older than the bound, and kept nevertheless
	Counted  int `json:"counted"`          // compared with the bound
}

// near reports whether so many messages come near their bound.
func (f Filter) near(messages int) bool {
	return f.CapFraction > 0 && f.Messages > 0 && float64(messages) > f.CapFraction*float64(f.Messages)
}

// filter leaves out what one reader does not see, and counts it. pairUp repairs what is left. The view is never
// empty: the first request of the user stays. Leading system messages are not history: they stay, and do not
// count.
func filter(f Filter, drafts []*draft) ([]*draft, Filtered) {
	filtered := Filtered{Before: len(drafts), After: len(drafts)}
	if f.Empty() {
		return drafts, filtered
	}
	head, drafts := instructions(drafts)
	gone := func(left []*draft, of int) int { return of - len(left) }
	all := drafts
	if f.TextOnly || len(f.ExcludeAgents) > 0 {
		drafts = onlyTexts(drafts)
		filtered.TextOnly = gone(drafts, len(all))
	}
	n := len(drafts)
	drafts = withoutAgents(drafts, f.ExcludeAgents)
	filtered.Excluded = gone(drafts, n)
	kept := drafts[turnStart(f, drafts):]
	filtered.Age, filtered.Counted = gone(kept, len(drafts)), len(kept)
	if from := tailStart(f, len(kept)); from > 0 {
		pins := pinned(kept[:from])
		filtered.Tail, filtered.Pinned = from-len(pins), len(pins)
		kept = slices.Concat(pins, kept[from:])
	}
	if len(all) > 0 && !slices.ContainsFunc(kept, (*draft).prompts) {
		if i := slices.IndexFunc(drafts, (*draft).prompts); i >= 0 {
			kept = slices.Concat(drafts[i:i+1], kept)
		}
	}
	kept = slices.Concat(head, kept)
	filtered.After = len(kept)
	return kept, filtered
}

// instructions separates leading system messages and the provider's own compaction from the history.
func instructions(drafts []*draft) (head, history []*draft) {
	i := slices.IndexFunc(drafts, func(d *draft) bool {
		return d.first().Role != transcript.RoleSystem && !isCompacted(d.first())
	})
	if i < 0 {
		i = len(drafts)
	}
	return drafts[:i], drafts[i:]
}

// onlyTexts keeps what users and agents say: messages of users, also where they carry results besides words, and
// the texts of answers.
func onlyTexts(drafts []*draft) []*draft {
	var out []*draft
	for _, d := range drafts {
		switch role := d.first().Role; {
		case role == transcript.RoleUser && !d.results || isCompacted(d.first()):
			out = append(out, d)
		case role == transcript.RoleAssistant || d.results:
			if d.reduce(); len(d.entries) > 0 {
				out = append(out, d)
			}
		}
	}
	return out
}

// reduce keeps only the entries of a message that have texts, and only their texts.
func (d *draft) reduce() {
	d.entries = slices.DeleteFunc(slices.Clone(d.entries), func(e *sessions.Entry) bool {
		return e.Role == transcript.RoleTool || e.Chars == 0 && e.Forgotten == nil
	})
	d.texts, d.results = true, false
	for _, e := range d.entries {
		for _, c := range callsOf(e) {
			d.drop = append(d.drop, c.ID)
		}
	}
}

// withoutAgents leaves out the messages of some authors.
func withoutAgents(drafts []*draft, authors []string) []*draft {
	if len(authors) == 0 {
		return drafts
	}
	return slices.DeleteFunc(slices.Clone(drafts), func(d *draft) bool {
		author := d.first().Author
		switch {
		case d.first().Role != transcript.RoleAssistant && author == "":
			return false
		case author == "":
			author = "Unknown"
		}
		return slices.ContainsFunc(authors, func(a string) bool { return agentname.Same(a, author) })
	})
}

// turnStart returns where the newest turns begin. A turn begins with a request of the user, and where
// another agent takes over.
func turnStart(f Filter, drafts []*draft) int {
	if f.Turns <= 0 {
		return 0
	}
	var starts []int
	author, speaks := "", false
	for i, d := range drafts {
		switch first := d.first(); {
		case d.prompts():
			starts, speaks = append(starts, i), false
		case first.Role != transcript.RoleAssistant:
		case speaks && !strings.EqualFold(author, first.Author):
			starts = append(starts, i)
			fallthrough
		default:
			author, speaks = first.Author, true
		}
	}
	return startOf(starts, surplus(len(starts), f.Turns, -1, f.Exact))
}

// startOf returns the index of the first turn that stays if so many are left out.
func startOf(starts []int, gone int) int {
	if gone <= 0 || len(starts) == 0 {
		return 0
	}
	return starts[min(gone, len(starts)-1)]
}

// tailStart returns where the newest messages begin.
func tailStart(f Filter, n int) int {
	if f.Messages <= 0 {
		return 0
	}
	return surplus(n, f.Messages, 1, f.Exact)
}

// surplus returns how many of n things are left out, so that about limit stay. In steps, a quarter of
// the limit goes at once: below the limit (side 1), or from above it (side -1), so that at least
// limit of them stay.
func surplus(n, limit, side int, exact bool) int {
	step := max(1, limit/4)
	switch over := n - limit; {
	case over <= 0:
		return 0
	case exact:
		return over
	case side > 0:
		return (over + step) / (step + 1) * (step + 1)
	default:
		return over / (step + 1) * (step + 1)
	}
}

// pinned returns the messages that stay although they are old: the first request, the newest summary that a
// host made of what came before, and corrections.
func pinned(drafts []*draft) []*draft {
	first, summary := slices.IndexFunc(drafts, (*draft).prompts), -1
	pins, left := make([]bool, len(drafts)), maxCorrections
	for i := len(drafts) - 1; i >= 0; i-- {
		corrects := left > 0 && drafts[i].corrects()
		if corrects {
			left--
		}
		if summary < 0 && drafts[i].first().Earlier {
			summary = i
		}
		pins[i] = corrects || i == first || i == summary
	}
	var out []*draft
	for i, d := range drafts {
		if pins[i] {
			out = append(out, d)
		}
	}
	return out
}

// corrects reports whether a message is a correction.
func (d *draft) corrects() bool {
	return d.first().Role == transcript.RoleUser && !d.results &&
		slices.ContainsFunc(d.entries, func(e *sessions.Entry) bool { return e.Correction })
}

// prompts reports whether a request of the user is in a draft.
func (d *draft) prompts() bool {
	return slices.ContainsFunc(d.entries, func(e *sessions.Entry) bool { return e.Prompt })
}
