package window

import (
	"maps"
	"math"
	"slices"
	"sort"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Planner computes the views of a growing log, each from the one before it: it examines what was appended, and the
// few preceding messages that it may change. The zero Planner has seen nothing. It serves one goroutine at a time;
// the views that it returned stay as they are.
type Planner struct {
	tree  tree
	read  int // entries seen
	view  View
	cut   *Cutoff // the one in effect
	host  int64   // the summary of the host that the view begins with; 0: none
	edits editSet
	mark  mark
}

// mark is a position in a view and its log: whatever is appended, the slots before it stay as they are, and those
// after it follow from the entries after it alone.
type mark struct {
	set     bool
	seq     int64 // the first entry after it
	slot    int
	fill    Fill // of the slots in front of it, as stubbed
	stubbed int
	drafts  int // as many messages are in front of it before calls and results are paired
	left    Left
}

// Plan returns the view of a log. The log may only have grown since the last call, and its cutoff and edits are
// what its entries record.
func (p *Planner) Plan(in Input) View {
	if !in.Filter.Empty() {
		return Plan(in) // what a filter leaves out depends on all messages
	}
	goesOn := p.mark.set
	for ; p.read < len(in.Entries); p.read++ {
		rewound := p.tree.add(in.Entries, p.read)
		goesOn = goesOn && !rewound && isPlain(&in.Entries[p.read])
	}
	path := p.tree.path(in.Entries)
	if goesOn {
		p.extend(path)
	} else {
		p.start(in, path)
	}
	p.view.path = path.runs
	return p.shown(in.Handed)
}

// shown returns the view with the messages of ours that stand between those of the log.
func (p *Planner) shown(handed []Handed) View {
	view := p.view
	view.Slots = slices.Clip(view.Slots)
	view = view.with(handed)
	if p.cut == nil || p.cut.Resume == "" || len(view.Slots) == 0 {
		return view
	}
	view.Slots = slices.Clone(view.Slots)
	h := NewHanded(p.cut.Recorded, p.cut.Resume)
	if h.Seq == 0 {
		h.Seq = math.MaxInt64 // it is not recorded yet
	}
	view.put(h)
	return view
}

// isPlain reports whether an entry leaves the display of earlier entries unchanged.
func isPlain(e *sessions.Entry) bool {
	if e.HostSummary() {
		return false
	}
	switch e.Kind {
	case sessions.KindMessage, sessions.KindNote, sessions.KindNotes, sessions.KindCost, sessions.KindDecision:
		return true
	}
	return false
}

// start computes a view from the whole log.
func (p *Planner) start(in Input, path logPath) []*draft {
	p.cut, p.edits, p.mark = in.Cutoff, newEditSet(in.Edits), mark{}
	entries := path.entries(0)
	var host hostCut
	if !in.Whole {
		host = hostCutOf(entries)
	}
	if p.cut != nil && (path.behind(p.cut) || host.seq >= p.cut.FirstKept) {
		p.cut = nil
	}
	if p.host = host.seq; p.cut != nil {
		p.host = 0
	}
	shown := visible(entries, p.cut)
	if p.host > 0 {
		shown = behindHost(entries, host)
	}
	seen, filtered := filter(in.Filter, group(shown))
	p.view = View{Host: p.host, HostCut: host.seq, HostKept: host.size(entries),
		NearCap: in.Filter.near(filtered.Counted), Filtered: filtered, path: path.runs}
	if p.cut != nil {
		p.view.Summary = p.cut.Summary
	}
	drafts, fixed, left := p.drafts(seen)
	p.view.Slots = p.slots(drafts)
	p.sum(drafts, fixed, slices.Index(seen, fixed), left)
	return drafts
}

// extend recomputes the slots after the mark.
func (p *Planner) extend(path logPath) {
	from := sort.Search(len(path.log), func(i int) bool { return path.log[i].Seq >= p.mark.seq })
	seen := group(visible(path.entries(from), p.cut))
	p.view.Filtered.Before = p.mark.drafts + len(seen)
	p.view.Filtered.After = p.view.Filtered.Before
	drafts, fixed, left := p.drafts(seen)
	tail, same := p.slots(drafts), p.mark.slot
	for same < len(p.view.Slots) && same-p.mark.slot < len(tail) && p.view.Slots[same].same(&tail[same-p.mark.slot]) {
		same++
	}
	before := p.view.Slots
	if same < len(before) {
		before = before[:same:same] // earlier views go on there
	}
	p.view.Slots = append(before, tail[same-p.mark.slot:]...)
	p.sum(drafts, fixed, slices.Index(seen, fixed), left)
}

// drafts makes messages valid for their provider and replaces collapsed ranges by notes. fixed is the last draft
// that separates those before it from those after it, and left what is left out in front of it, see pairUp.
func (p *Planner) drafts(seen []*draft) (drafts []*draft, fixed *draft, left Left) {
	drafts, fixed, all, left := pairUp(seen)
	p.view.Left = p.mark.left.plus(all)
	return withoutThoughts(p.edits.collapse(drafts)), fixed, left
}

func (l Left) plus(o Left) Left { return Left{l.Results + o.Results, l.Loaded + o.Loaded} }

// slots finishes drafts.
func (p *Planner) slots(drafts []*draft) []Slot {
	out := make([]Slot, 0, len(drafts))
	for _, d := range drafts {
		s := d.slot(p.edits)
		s.Fill, s.Stubbed = d.fill(&s, p.edits)
		out = append(out, s)
	}
	return out
}

// sum counts the slots after the mark, which were made of drafts, and moves the mark to the fixed draft, which was
// message number at of those that were paired, with left left out in front of it.
func (p *Planner) sum(drafts []*draft, fixed *draft, at int, left Left) {
	next := p.mark
	p.view.Fill, p.view.Stubbed = p.mark.fill, p.mark.stubbed
	for i, d := range drafts {
		if d == fixed && d.first().Seq > p.host { // what the host kept precedes its summary in the log
			next = mark{set: true, seq: d.first().Seq, slot: p.mark.slot + i, fill: p.view.Fill,
				stubbed: p.view.Stubbed, drafts: p.mark.drafts + at, left: p.mark.left.plus(left)}
		}
		s := &p.view.Slots[p.mark.slot+i]
		p.view.Fill, p.view.Stubbed = p.view.Fill.plus(s.Fill), p.view.Stubbed+s.Stubbed
	}
	p.view.Tokens = p.view.Fill.Total()
	p.mark = next
}

// same reports whether two slots show the same. It may wrongly say no for rare fields.
func (s *Slot) same(o *Slot) bool {
	return s.Note == o.Note && s.After == o.After && s.Compacted == o.Compacted && s.TextOnly == o.TextOnly &&
		s.Open == o.Open && s.Answers == o.Answers &&
		slices.Equal(s.Seqs, o.Seqs) && s.Role == o.Role && s.Format == o.Format &&
		s.Turn == o.Turn && s.Prompt == o.Prompt && s.Tokens == o.Tokens && s.Edited == o.Edited &&
		s.Fill == o.Fill && s.Stubbed == o.Stubbed &&
		maps.Equal(s.Stubs, o.Stubs) && slices.Equal(s.DropCalls, o.DropCalls) &&
		maps.Equal(s.KeepResults, o.KeepResults) &&
		len(s.AddResults) == 0 && len(o.AddResults) == 0 && slices.Equal(s.Shortened, o.Shortened)
}

// fixes reports whether the drafts before and after a position cannot change each other: no call waits for its
// result, and an answer cannot join an earlier one.
func fixes(open []sessions.Call, before []*draft) bool {
	n := len(before)
	return len(open) == 0 && n > 0 && before[n-1].first().Role != transcript.RoleAssistant
}
