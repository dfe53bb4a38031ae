package replay

import (
	"strconv"
	"time"

	"ctxledger.dev/intents"

	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// A step is one request of the recorded session and what it was answered with.
type step struct {
	upTo  int // the entries before it had been said
	at    time.Time
	usage sessions.Usage // as recorded, of the whole answer
	long  bool           // what it wrote into the provider's cache stays there for an hour
	model string
	// reports is how many answers usage is the sum of, of a host that measures behind them.
	reports int
	needed  []string // identifiers in the arguments of its calls, bodies of edits aside
}

// Request is one request of a recorded session.
type Request struct {
	UpTo  int       // the entries before it had been said
	At    time.Time // of its answer
	Model string
	Usage sessions.Usage // as recorded, of the whole answer
	// Long says that what it wrote into the provider's cache stays there for an hour.
	Long bool
	// Several says that it is several requests, which its host does not tell apart.
	Several bool
	// Needed are the identifiers that the calls of its answer name, bodies of edits aside.
	Needed []string
	// Shown are the entries whose messages it has, ascending.
	Shown []int
	// Compacted says that its host has compacted since the request before.
	Compacted bool
}

// Requests returns the requests of the main conversation, as its host sent them.
func (s *Session) Requests() []Request {
	t := newTrack(s, func(transcript.Message, int) block { return block{id: "shown"} })
	out := make([]Request, len(t.steps))
	for i, st := range t.steps {
		shown, compacted := t.sent(st.upTo)
		out[i] = Request{st.upTo, st.at, st.model, st.usage, st.long, st.reports > 1, st.needed, shown, compacted}
	}
	return out
}

// A block is one message of a view.
type block struct {
	id     string
	tokens int // o200k_base
	words  map[string]bool
	result bool // it answers a call, so that it cannot stand first
	calls  bool // it makes calls, so that it cannot stand last
}

// track is a session made ready for replays.
type track struct {
	*Session
	steps  []step
	blocks []block // by entry: of those that the model saw, else the zero block
}

// newTrack makes a session ready. blockOf makes the block of a message of an entry.
func newTrack(s *Session, blockOf func(transcript.Message, int) block) *track {
	t := &track{Session: s, blocks: make([]block, len(s.Entries))}
	groups := map[string]int{}
	for i := range s.Entries {
		e := &s.Entries[i]
		if n := len(t.steps); n > 0 && e.Kind == sessions.KindNote && e.Usage != nil && e.Author == "" && !e.Hidden {
			t.steps[n-1].usage = t.steps[n-1].usage.Add(*e.Usage) // a host that measures behind the answer
			t.steps[n-1].reports++
		}
		m, ok := MessageOf(*e)
		if !ok || e.Author != "" {
			continue
		}
		t.blocks[i] = blockOf(m, i)
		if e.Hidden || m.Role != transcript.RoleAssistant || e.Model == "" {
			continue
		}
		at, known := groups[e.Group]
		if !known || e.Group == "" {
			at = len(t.steps)
			groups[e.Group] = at
			t.steps = append(t.steps, step{upTo: i, at: e.Time, model: e.Model})
		}
		st := &t.steps[at]
		if e.Usage != nil {
			st.usage = st.usage.Add(*e.Usage)
		}
		st.needed = append(st.needed, neededBy(m)...)
	}
	for i := range t.steps {
		st := &t.steps[i]
		st.long = st.usage.CacheLong > 0 || st.usage.CacheWrite == 0 && i > 0 && t.steps[i-1].long
	}
	return t
}

// blockOf makes the block of a message. It counts what all policies carry alike: texts, and not what frames
// them, since a host may write one message as several entries.
func blockOf(m transcript.Message, entry int) block {
	b := block{id: "entry " + strconv.Itoa(entry)}
	text := ""
	for _, p := range m.Parts {
		text += p.Text + "\n" + string(p.Args) + "\n"
		b.result = b.result || p.Kind == transcript.KindResult
		b.calls = b.calls || p.Kind == transcript.KindCall
		if p.Kind != transcript.KindReasoning {
			for _, part := range []string{p.Text, p.Name, string(p.Args)} {
				b.tokens += tokens.O200kBase.CountString(part)
			}
		}
	}
	_, b.words = Identifiers(text)
	return b
}

// neededBy returns the identifiers that the calls of a message name, bodies of edits aside.
func neededBy(m transcript.Message) []string {
	var out []string
	for _, p := range m.Parts {
		if p.Kind != transcript.KindCall {
			continue
		}
		what := string(p.Args)
		if c := intents.Classify(p.Name, p.Args); c.Op == intents.OpWrite || c.Op == intents.OpPatch {
			what = c.Target
		}
		named, _ := Identifiers(what)
		out = append(out, named...)
	}
	return out
}
