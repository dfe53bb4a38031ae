package compaction

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// view is what the model sees before the compaction: the current summary and the items after it.
type view struct {
	in       *Input
	start    int   // the first item that is in the view itself
	previous int   // tokens of the current summary
	before   int   // tokens of the whole view
	behind   []int // tokens of the items from each index on
}

func newView(in *Input) *view {
	v := &view{in: in}
	switch {
	case in.Host > 0:
		v.start = sort.Search(len(in.Items), func(i int) bool { return in.Items[i].first() > in.Host })
		v.previous = in.HostTokens
	case in.FirstKept > 0:
		v.start = sort.Search(len(in.Items), func(i int) bool { return in.Items[i].first() >= in.FirstKept })
		v.previous = asMessage(in.PreviousText) + in.Previous.resumeTokens()
	}
	v.behind = make([]int, len(in.Items)+1)
	for i := len(in.Items) - 1; i >= 0; i-- {
		v.behind[i] = v.behind[i+1] + in.Items[i].Tokens
	}
	v.before = v.previous + v.kept(v.start)
	return v
}

// named returns the id of a summary, and its text with it. A document of the whole session has the session's.
func (s *source) named(text string) (id, named string) {
	if s.o.Whole {
		return s.id, text
	}
	return nameByText(s.id, text)
}

// asMessage is the size of a summary as a message of the view.
func asMessage(text string) int { return tokens.Framing + layout.Count(text) }

// resumeTokens is the size of the message at the end of the view.
func (r *Record) resumeTokens() int {
	if r == nil || r.Resume == "" {
		return 0
	}
	return asMessage(r.Resume)
}

// kept is the size of what stays verbatim: in front of the summary, and behind a boundary.
func (v *view) kept(cut int) int {
	n := v.in.Head + v.behind[cut]
	for _, it := range slices.Backward(v.in.Items[:cut]) {
		if it.Compacted {
			return n + it.Tokens
		}
	}
	return n
}

// affordable bounds the budget, so that a summary is worth having: the size of the summary that it
// replaces and half of the messages that leave the view.
func (v *view) affordable(budget, cut int) int {
	const least = 400
	return min(budget, max(least, v.previous+(v.behind[v.start]-v.behind[cut])/2))
}

// nothing proposes nothing, and says why.
func nothing(format string, args ...any) Proposal {
	return Proposal{Outcome: NothingToDo, Why: fmt.Sprintf(format, args...)}
}

// sized says a size in o200k_base tokens: an estimate for a model that counts otherwise.
func (in *Input) sized(o200k int) string { return chars.Tokens(o200k, in.Exact) }

// upToDate says why no boundary was found.
func (v *view) upToDate(o Options) Proposal {
	n := len(v.in.Items) - v.start
	rule := v.in.keep().String()
	if o.Keep > 0 {
		rule = "the last " + chars.Plural(o.Keep, "turn")
	}
	switch {
	case len(v.in.Items) == 0:
		return Proposal{Outcome: NothingToDo, Why: "nothing of the session has been recorded yet"}
	case v.in.FirstKept > 0:
		return Proposal{Outcome: NothingToDo, Why: fmt.Sprintf(
			"the last summary is followed by only %s, few enough to keep word for word (%s)",
			chars.Plural(n, "message"), rule)}
	default:
		return Proposal{Outcome: NothingToDo, Why: fmt.Sprintf(
			"the whole conversation of %s fits, and stays verbatim (%s)", chars.Plural(n, "message"), rule)}
	}
}

// judge makes the record of a compaction and checks the post-conditions. limit bounds the whole view; 0 means that
// only the window does.
func (v *view) judge(s *source, mode Mode, text string, limit int) Proposal {
	in := v.in
	id, text := s.named(text)
	sum := sha256.Sum256([]byte(text))
	from, to := s.turns()
	r := Record{
		ID: id, Session: in.Session.ID, Mode: mode, Reason: s.o.Reason,
		From: 1, To: s.last, FirstKept: s.last + 1,
		TurnFrom: from, TurnTo: to, Resume: s.resume,
		Budget: cmp.Or(limit, s.o.budget(in.Window)), Before: v.before,
		TextHash: hex.EncodeToString(sum[:]),
	}
	r.After = asMessage(text) + v.kept(s.cut) + r.resumeTokens()
	if s.o.Mode.Asks() {
		r.Requested = s.o.Mode
	}
	if in.Previous != nil {
		r.Previous = in.Previous.ID
	}
	if s.cut < len(in.Items) {
		r.FirstKept = in.Items[s.cut].first()
	}
	r.Cut, r.CutTotal = v.cutList(s)
	p := Proposal{Outcome: Compacted, Record: r, Text: text}
	if limit == 0 {
		limit = in.Window
	}
	p.Outcome, p.Why = accept(s, &r, text, limit)
	return p
}
