package views

import (
	"cmp"
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// What has to be seen before a session tells how its provider counts what is recorded.
const (
	leastSteps   = 5
	leastContent = 2_000 // o200k_base tokens, of all steps together
)

// step is what one request had more than the one before it.
type step struct {
	content int // o200k_base tokens of what was recorded in between
	grew    int // tokens, as the provider counted them
}

func (s step) rate() int { return int(int64(s.grew) * tokens.Scaled / int64(s.content)) }

// rateOf returns how many tokens the provider counts for tokens.Scaled of o200k_base in what is recorded, as the requests of the
// main conversation show: the median of the steps between them, by their content. Left out are steps in which something may have
// come or gone that is not recorded whole: reasoning, of which agents record a summary, what a host added or took out, and those
// over a prompt, before which providers may drop earlier reasoning. 0: too little shows it, or it is not believable.
func rateOf(f *core.Folded, c tokens.Counter) int {
	var all []step
	content := 0
	for s := range stepsOf(f) {
		all, content = append(all, s), content+s.content
	}
	if len(all) < leastSteps || content < leastContent {
		return 0
	}
	slices.SortFunc(all, func(a, b step) int { return cmp.Compare(a.rate(), b.rate()) })
	upTo, i := 0, 0
	for ; 2*(upTo+all[i].content) < content; i++ {
		upTo += all[i].content
	}
	median, usual := all[i].rate(), c.Of(tokens.Scaled).N
	if median < usual/2 || median > usual*2 {
		return 0
	}
	return median
}

// stepsOf yields the steps of the active branch that tell how a provider counts.
func stepsOf(f *core.Folded) func(yield func(step) bool) {
	return func(yield func(step) bool) {
		last, group := 0, ""
		content, tells := 0, false // since the request before
		for i := range f.Entries {
			e := &f.Entries[i]
			if e.Author != "" || !f.View.Active(i) {
				continue // a subagent's, which has a conversation of its own, or taken back
			}
			if asks(e, group) {
				now := e.Usage.Prompt()
				if s := (step{content, now - last}); tells && last > 0 && s.content > 0 && s.grew > 0 && !yield(s) {
					return
				}
				last, group, content, tells = now, e.Group, 0, true
			}
			content += e.Tokens
			tells = tells && whole(e)
		}
	}
}

// asks reports whether a request begins with an entry: another answer than that of the group.
func asks(e *sessions.Entry, group string) bool {
	return e.Role == transcript.RoleAssistant && e.Measured() && !e.Hidden && e.Usage.Prompt() > 0 &&
		(e.Group == "" || e.Group != group)
}

// whole reports whether all that came into the window with an entry, and nothing else, is recorded in it.
func whole(e *sessions.Entry) bool {
	if e.Kind == sessions.KindNote {
		return !e.Hidden && len(e.Cleared) == 0
	}
	reasoned := e.Thoughts || e.Usage != nil && e.Usage.Reasoning > 0
	return e.Kind == sessions.KindMessage && !e.Hidden && !e.Prompt && !e.Earlier && !e.Loaded && !reasoned
}
