package window

import (
	"slices"
	"strings"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// maxCorrections is how many corrections are pinned, the newest ones.
const maxCorrections = 20

// filter leaves out what one reader does not see. What it leaves is made whole by pairUp. It never
// empties a view: the first request of the user stays. near says that the messages come near their bound.
func filter(f Filter, drafts []*draft) (left []*draft, near bool) {
	if f.TextOnly || len(f.ExcludeAgents) > 0 {
		drafts = onlyTexts(drafts)
	}
	drafts = withoutAgents(drafts, f.ExcludeAgents)
	kept := drafts[turnStart(f, drafts):]
	near = f.CapFraction > 0 && f.Messages > 0 && float64(len(kept)) > f.CapFraction*float64(f.Messages)
	if from := tailStart(f, len(kept)); from > 0 {
		kept = slices.Concat(pinned(kept[:from]), kept[from:])
	}
	if len(kept) > 0 && !slices.ContainsFunc(kept, (*draft).prompts) {
		if i := slices.IndexFunc(drafts, (*draft).prompts); i >= 0 {
			kept = slices.Insert(kept, 0, drafts[i])
		}
	}
	return kept, near
}

// onlyTexts leaves users' messages, and of answers their words.
func onlyTexts(drafts []*draft) []*draft {
	var out []*draft
	for _, d := range drafts {
		switch {
		case d.first().Role == transcript.RoleUser && !d.results:
			out = append(out, d)
		case d.first().Role == transcript.RoleAssistant && d.dropCalls(d.openCalls()):
			out = append(out, d)
		}
	}
	return out
}

// withoutAgents leaves out what some authors said.
func withoutAgents(drafts []*draft, authors []string) []*draft {
	if len(authors) == 0 {
		return drafts
	}
	return slices.DeleteFunc(drafts, func(d *draft) bool {
		author := d.first().Author
		if author == "" {
			author = "Unknown"
		}
		return d.first().Role == transcript.RoleAssistant &&
			slices.ContainsFunc(authors, func(a string) bool { return strings.EqualFold(a, author) })
	})
}

// turnStart returns where the newest turns begin.
func turnStart(f Filter, drafts []*draft) int {
	if f.Turns <= 0 {
		return 0
	}
	var starts []int
	for i, d := range drafts {
		if d.prompts() {
			starts = append(starts, i)
		}
	}
	return startOf(starts, surplus(len(starts), f.Turns, -1, f.Exact))
}

// startOf returns the place of the first turn that stays when so many are left out.
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

// pinned returns the messages that stay although they are old: the first request, and corrections.
func pinned(drafts []*draft) []*draft {
	first := slices.IndexFunc(drafts, (*draft).prompts)
	pins, left := make([]bool, len(drafts)), maxCorrections
	for i := len(drafts) - 1; i >= 0; i-- {
		corrects := left > 0 && drafts[i].corrects()
		if corrects {
			left--
		}
		pins[i] = corrects || i == first
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
