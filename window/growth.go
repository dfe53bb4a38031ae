package window

import (
	"cmp"
	"slices"

	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// What has to be seen before a session tells how its provider counts what is recorded.
const (
	leastSteps   = 5
	leastContent = 2_000 // o200k_base tokens, of all steps together
)

// By how much a request grows for what was recorded since the one before it, in percent of what that is expected to count. A step
// that is outside tells nothing: something came that is not recorded, or went. Where reasoning, of which agents may record a
// summary, what a host added, or a prompt, before which providers may drop earlier reasoning, is in a step, it is doubted sooner.
const (
	leastGrowth = 75
	mostGrowth  = 175
	mostDoubted = 130
)

// absurd is how many times larger than its content no step is, which also keeps products within an int.
const absurd = 100

// Growth is how the provider counted what is recorded, as the requests of the main conversation show: each is larger than the one
// before it by what came in between. It takes the entries of a log in order. The zero value tells nothing.
type Growth struct {
	expected int // tokens for tokens.Scaled of o200k_base

	rates []int   // tokens for tokens.Scaled of o200k_base, by entry; 0: no request tells
	steps []grown // that tell

	last    int    // tokens of the newest request; 0: none, or the conversation went on from elsewhere
	group   string // of its answer
	from    int    // the first entry that it does not have
	content int    // o200k_base tokens from there on
	doubted bool   // something from there on is not recorded whole
}

// grown is what one request had more than the one before it.
type grown struct{ content, rate int }

// NewGrowth returns the growth of a log of which nothing was taken. expected is what its model's counter has for tokens.Scaled of
// o200k_base.
func NewGrowth(expected int) *Growth { return &Growth{expected: expected} }

// Follow takes the entries of a log that were not taken yet.
func (g *Growth) Follow(log []sessions.Entry) {
	g.rates = slices.Grow(g.rates, len(log)-len(g.rates))
	for i := len(g.rates); i < len(log); i++ {
		g.take(&log[i])
	}
}

func (g *Growth) take(e *sessions.Entry) {
	g.rates = append(g.rates, 0)
	switch {
	case e.Author != "": // a subagent's, which has a conversation of its own
		return
	case e.Kind == sessions.KindRewind, e.Earlier, len(e.Cleared) > 0:
		g.last = 0
		return
	case g.asks(e):
		g.tell(e.Usage.Prompt())
		g.last, g.group = e.Usage.Prompt(), e.Group
		g.from, g.content, g.doubted = len(g.rates)-1, 0, false
	}
	if e.Kind == sessions.KindMessage && !e.Hidden {
		g.content += e.Tokens
	}
	g.doubted = g.doubted || !whole(e)
}

// asks reports whether a request begins with an entry: another answer than the newest.
func (g *Growth) asks(e *sessions.Entry) bool {
	return e.Role == transcript.RoleAssistant && e.Measured() && !e.Hidden && e.Usage.Prompt() > 0 &&
		(e.Group == "" || e.Group != g.group)
}

// tell ends a step with the request that has all of it.
func (g *Growth) tell(request int) {
	grew, most := request-g.last, mostGrowth
	if g.doubted {
		most = mostDoubted
	}
	if g.last == 0 || g.content == 0 || grew <= 0 || grew/g.content >= absurd {
		return
	}
	rate := grew * tokens.Scaled / g.content
	if percent := int64(rate) * 100 / int64(g.expected); percent < leastGrowth || percent > int64(most) {
		return
	}
	g.steps = append(g.steps, grown{g.content, rate})
	for i := g.from; i < len(g.rates)-1; i++ {
		g.rates[i] = rate
	}
}

// whole reports whether all that came into the window with an entry, and nothing else, is recorded in it.
func whole(e *sessions.Entry) bool {
	if e.Kind == sessions.KindNote {
		return !e.Hidden
	}
	reasoned := e.Thoughts || e.Usage != nil && e.Usage.Reasoning > 0
	return e.Kind == sessions.KindMessage && !e.Hidden && !e.Prompt && !e.Loaded && !reasoned
}

// Rate returns how many tokens the provider counts for tokens.Scaled of o200k_base: the median of the steps, by their content.
// 0: too little shows it.
func (g *Growth) Rate() int {
	content := 0
	for _, s := range g.steps {
		content += s.content
	}
	if len(g.steps) < leastSteps || content < leastContent {
		return 0
	}
	all := slices.SortedFunc(slices.Values(g.steps), func(a, b grown) int { return cmp.Compare(a.rate, b.rate) })
	upTo, i := 0, 0
	for ; 2*(upTo+all[i].content) < content; i++ {
		upTo += all[i].content
	}
	return all[i].rate
}

// Of returns how the provider counted an entry, in tokens for tokens.Scaled of o200k_base; 0: no request tells.
func (g *Growth) Of(seq int64) int {
	if seq > int64(len(g.rates)) {
		return 0
	}
	return g.rates[seq-1]
}

// OfSlot returns the same of a slot; 0 also for a text of ours.
func (g *Growth) OfSlot(s *Slot) int {
	if s.Note != "" {
		return 0
	}
	return g.Of(s.Seqs[0])
}

// Amount returns the amount that some of an entry is.
func (g *Growth) Amount(seq int64, o200k int) tokens.Amount { return tokens.AmountOf(o200k, g.Of(seq)) }

// Rates returns the rates of all entries: from each of these entries on, up to the next.
func (g *Growth) Rates() (all []tokens.Measured) {
	for i, n := range g.rates {
		if last := len(all) - 1; last < 0 && n > 0 || last >= 0 && all[last].N != n {
			all = append(all, tokens.Measured{From: int64(i + 1), N: n})
		}
	}
	return all
}
