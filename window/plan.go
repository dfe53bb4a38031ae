package window

import (
	"sort"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Input is what a view is computed from.
type Input struct {
	// Entries is the whole log of the session, in order of Seq.
	Entries []sessions.Entry
	// Cutoff is the compaction that is current, if there is one.
	Cutoff *Cutoff
	// Edits are those recorded so far, in order: of two about one part the later one holds.
	Edits []Edit
	// Filter leaves messages out for one reader of the session.
	Filter Filter
	// Handed is what other agents handed to the reader, in order.
	Handed []Handed
	// Whole shows what the host itself has compacted as if it had not.
	Whole bool
}

// Cutoff replaces the beginning of the log by a summary.
type Cutoff struct {
	Summary   string // id of the summary
	FirstKept int64  // Seq of the first entry that is still shown
	// Recorded is the Seq of the log entry that records the compaction. A later rewind into the summarised range
	// cancels the cutoff. 0: no rewind does.
	Recorded int64
	// Resume is a message of the user's role behind what was said before the compaction; "": there is none.
	Resume string
}

// View is the conversation as a model sees it: the summary, if any, then the slots. Some leading slots precede the
// summary: see Head.
type View struct {
	Summary string // id; "": none
	Host    int64  // the entry of the host's own summary, if it begins the view; 0: it does not
	// HostCut is the entry of the host's newest summary, also where a summary of ours begins the view; 0: there is none.
	HostCut int64
	// HostKept is what the host kept as it was with its newest summary, in o200k_base tokens: the agent has that, also
	// where a summary of ours begins the view. 0 of the whole log.
	HostKept int
	Slots    []Slot
	Tokens   int  // of all slots
	Fill     Fill // what they are made of, together Tokens
	Stubbed  int  // how much larger it would be with the results that stubs replace
	NearCap  bool // the messages have passed Filter.CapFraction of their bound
	// Filtered is what the filter left out.
	Filtered Filtered
	Left     Left
	path     []run // the active one
}

// Active reports whether the entry of the log at an index is still part of the conversation: rewinds remove
// entries. Summaries, edits and filters do not matter.
func (v View) Active(i int) bool {
	at := sort.Search(len(v.path), func(k int) bool { return v.path[k].to > i })
	return at < len(v.path) && v.path[at].from <= i
}

// Head returns how many slots precede the summary: leading system messages, and the provider's own compaction.
func (v View) Head() int {
	for i, s := range v.Slots {
		if s.Role != transcript.RoleSystem && !s.Compacted {
			return i
		}
	}
	return len(v.Slots)
}

// Repairs count what was changed to make a view valid for its provider.
type Repairs struct {
	Synthesised    int `json:"synthesised,omitempty"`     // results that never came
	DroppedCalls   int `json:"dropped_calls,omitempty"`   // that nothing answers, of messages that stay
	DroppedResults int `json:"dropped_results,omitempty"` // without a call and duplicates, of messages that stay
}

// Repairs returns what was changed to make the view valid.
func (v View) Repairs() (r Repairs) {
	for _, s := range v.Slots {
		r.Synthesised += len(s.AddResults)
		r.DroppedResults += len(s.KeepResults)
		if !s.TextOnly {
			r.DroppedCalls += len(s.DropCalls)
		}
	}
	return r
}

// Left is what a view leaves out because no provider takes it.
type Left struct {
	Results int `json:"results,omitempty"` // without a call
	Loaded  int `json:"loaded,omitempty"`  // messages that the host put behind a call whose result has not come
}

// Slot is one message of a view.
type Slot struct {
	// Note, if set, is the text of a message of the user's role that replaces what was collapsed; then Seqs are
	// the replaced entries, and everything else but Tokens is as of the first.
	Note string
	// After, if set, is the text of a message of the user's role that follows this one: a manifest of what was
	// evicted. Tokens includes it.
	After string
	// Seqs are the entries that are merged into this message, in the order of their blocks in it: that of the log,
	// but results in the order of their calls. The original of one may be forgotten: a note replaces it.
	Seqs   []int64
	Role   transcript.Role
	Format transcript.Format
	Turn   int  // of the first entry; 0 before the first request
	Prompt bool // whether a request by the user is in it
	// Compacted: it is the provider's own compaction of what came before.
	Compacted bool
	Tokens    int  // o200k_base, with stubs instead of the results that they replace; synthesised results do not count
	Fill      Fill // what they are made of
	Stubbed   int  // how much larger it would be with the results that stubs replace
	// Stubs maps call ids to the artifacts that replace their results.
	Stubs map[string]string
	// DropCalls are calls that nothing answers, in order.
	DropCalls []string
	// KeepResults is transcript.Edits.KeepResults: results without a call, and duplicates.
	KeepResults map[string]int
	// TextOnly leaves nothing but the texts of the entries.
	TextOnly bool
	// AddResults replace results that never came, or that were forgotten.
	AddResults []transcript.Part
	// Shortened are the recorded edits of parts, in the order of Seqs. They apply to the original of
	// their entry, before it is merged with others: see Shorten.
	Shortened []Edit
	// Edited is false when the message is exactly the original of its one entry.
	Edited bool

	// Open: it has calls that later messages answer. Answers: it carries results.
	Open, Answers bool
}

// Edits returns the slot's edits for transcript.Edit. stub returns the text that replaces an artifact; if it
// reports false, the result is shown whole. A message for which transcript.Edit then returns nothing is left out:
// headers do not show whether a message without its calls has words left.
func (s Slot) Edits(stub func(artifact string) (string, bool)) transcript.Edits {
	e := transcript.Edits{KeepResults: s.KeepResults, AddResults: s.AddResults, TextOnly: s.TextOnly}
	for call, artifact := range s.Stubs {
		if text, ok := stub(artifact); ok {
			if e.Results == nil {
				e.Results = map[string]string{}
			}
			e.Results[call] = text
		}
	}
	for _, id := range s.DropCalls {
		if e.DropCalls == nil {
			e.DropCalls = map[string]bool{}
		}
		e.DropCalls[id] = true
	}
	return e
}

// Shorten returns what shows the recorded edits of one entry, for transcript.Record; nil where there are
// none.
func (s Slot) Shorten(seq int64) func(p transcript.Part) (string, bool) {
	var of []Edit
	for _, e := range s.Shortened {
		if e.Seq == seq {
			of = append(of, e)
		}
	}
	if len(of) == 0 {
		return nil
	}
	return func(p transcript.Part) (string, bool) {
		for _, e := range of {
			if text, changed := e.Apply(p); changed {
				return text, true
			}
		}
		return "", false
	}
}

// Plan computes the view of a log, in time linear in the number of entries; see Planner for a growing log.
func Plan(in Input) View {
	view, _ := plan(in)
	return view
}

// plan computes the view, and the drafts that its slots were made from, in the same order.
func plan(in Input) (View, []*draft) {
	var p Planner
	drafts := p.start(in, activePath(in.Entries))
	return p.shown(in.Handed), drafts
}
