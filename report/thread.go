package report

import (
	"time"

	"ctxledger.dev/tokens"
)

// maxCalls bounds the calls of one thread whose actions are remembered.
const maxCalls = 200_000

// thread is one conversation: the main one of a session, or a subagent's.
type thread struct {
	meter  *Meter
	sub    bool
	window window
	beyond Class   // what no entry shows: System or Earlier
	system float64 // its tokens, as measured last
	total  float64 // of the newest request, and the weight of its window
	weight float64
	asked  bool    // whether a request has been measured
	open   *answer // that the newest part is of
	prompt int     // pieces before the newest prompt
	calls  map[string]*call
	reads  map[string]*read
	memory memory
}

// answer is a request whose answer may have further parts.
type answer struct {
	Request   // as its newest part reports
	thread    *thread
	at        time.Time
	held      int      // pieces in the window that it answers
	weight    float64  // of its pieces
	reasoning bool     // whether it has such a piece
	thought   float64  // of output without its text, as far as the window has it
	copied    bool     // counted elsewhere, or before
	settled   bool     // its window has been charged
	shared    []Charge // for that
}

// output returns what the calls of its model put out.
func (a *answer) output() (n int64) {
	for _, c := range a.Bill {
		if c.Model == a.Model {
			n += c.Usage.Output
		}
	}
	return n
}

// call is a call of a tool, until its result comes and after.
type call struct {
	Action
	file     *File // that it reads
	again    *Again
	copied   bool
	early    bool // memory looks at it
	answered bool
}

// read is what is known of the reads of one file.
type read struct {
	era   int               // compactions before the newest one
	parts map[string]uint64 // hash of the newest result, by part
}

// add takes the thread's next entry.
func (t *thread) add(e Entry) {
	entry := t.meter.hash(e.ID)
	if e.Compaction != nil {
		t.compact(e)
	}
	if e.Midway {
		t.beyond = Earlier
	}
	if e.Prompt {
		t.rewind(e.Parent)
	}
	copied := e.Copied
	var a *answer
	if e.Request != nil {
		a = t.request(e)
		copied = copied || a.copied
	}
	for _, p := range e.Pieces {
		t.piece(p, copied, a)
	}
	if e.ID != "" {
		t.window.note(entry)
	}
}

// rewind takes back what came after the entry that a prompt follows, if that was there before the newest
// prompt: parents of parallel calls alone say nothing.
func (t *thread) rewind(parent string) {
	if parent != "" {
		if at, ok := t.window.position(t.meter.hash(parent)); ok && at <= t.prompt && at < len(t.window.pieces) {
			t.settle()
			t.window.back(t.meter.hash(parent))
		}
	}
	t.prompt = len(t.window.pieces)
}

// request takes a part of an answer. Programs that write one session at once write parts of theirs between those of others.
func (t *thread) request(e Entry) *answer {
	r := *e.Request
	a := t.meter.underWay(t, r.ID)
	if a != nil {
		a.Request = r
	}
	if a != t.open || a == nil {
		t.settle()
	}
	if a == nil {
		a = &answer{Request: r, thread: t, at: e.Time, held: len(t.window.pieces),
			copied: r.Copied || t.meter.counted[r.ID]}
		t.meter.begin(a)
	}
	t.open = a
	return a
}

// settle charges the window for the answer whose part was the newest, once. What the answer says less than the provider
// reported was thought: hosts keep reasoning without its text.
func (t *thread) settle() {
	a := t.open
	if a == nil {
		return
	}
	t.open = nil
	if !a.copied && !a.settled {
		for i, c := range a.Bill {
			t.charge(c, a.held, i == 0)
		}
		a.shared = a.Bill
	}
	a.settled = true
	scale := t.price(a.Request).scale
	if rest := a.unsaid(scale) - a.thought; rest > 0 && a.reasoning {
		t.window.push(rest/scale, owned{class: &t.meter.out.Classes[Reasoning]})
		a.thought += rest
	}
}

// unsaid returns how much more the provider reported than the answer says; negative, if it says more.
func (a *answer) unsaid(scale float64) float64 { return float64(a.output()) - a.weight*scale }

// price returns what the first call of a request costs.
func (t *thread) price(r Request) rates {
	if len(r.Bill) == 0 {
		return t.meter.price(r.Model, tokens.Terms{})
	}
	return t.meter.price(r.Model, r.Bill[0].Terms)
}

// charge shares a call out over the pieces that it held. The first one of an answer says how much of it is the system's;
// others, such as an advisor's, read the same in their own tokens.
func (t *thread) charge(c Charge, held int, first bool) {
	total := float64(c.Usage.In())
	if total == 0 {
		return
	}
	price := t.meter.price(c.Model, c.Terms)
	weight := t.window.weight(held)
	system, scale := total, 0.0
	if first {
		scale = t.fit(total, weight, price.scale)
		system = t.system
	} else if known := t.system + weight*price.scale; known >= 1 {
		system, scale = t.system*total/known, price.scale*total/known
	}
	class := &t.meter.out.Classes[t.beyond]
	class.Sent += system
	if scale > 0 {
		t.window.carry(held, scale)
	}
	from := 0.0
	for _, part := range []struct {
		tokens int64
		price  float64
	}{
		{c.Usage.CacheRead, price.CachedRead}, {c.Usage.CacheWriteLong, price.LongWrite},
		{c.Usage.CacheWrite, price.CachedWrite}, {c.Usage.Input, price.Input},
	} {
		to := from + float64(part.tokens)
		class.Dollars += max(0, min(to, system)-from) * part.price
		if scale > 0 {
			t.window.pay(held, max(0, from-system)/scale, (to-system)/scale, part.price*scale)
		}
		from = to
	}
}

// believable is how far the provider's count of a window may be from the estimate before something else
// must have changed: tools came or went.
const believable = 1.6

// sparse is how many times fewer tokens a provider may count while its requests grow with their windows: then the estimate
// is too high, and nothing went.
const sparse = 4

// fit decides how much of a request is the system's, and how many of the provider's tokens a token of
// weight represents.
func (t *thread) fit(total, weight, usual float64) (scale float64) {
	was, least := t.system, usual/believable
	if weight < t.weight || total-t.total >= (weight-t.weight)*usual/sparse {
		least = usual / sparse
	}
	t.total, t.weight = total, weight
	if weight == 0 {
		t.system = total
	} else if scale = (total - was) / weight; !t.asked || scale > usual*believable || scale < least {
		t.system = max(0, total-weight*usual)
		scale = (total - t.system) / weight
	}
	if grown := t.system - was; grown > 0 || !t.asked {
		t.meter.out.Classes[t.beyond].Tokens += max(0, grown)
	}
	t.asked = true
	return scale
}

// piece puts a piece into the window: one of an answer, or of none.
func (t *thread) piece(p Piece, copied bool, a *answer) {
	m := t.meter
	o := owned{class: &m.out.Classes[p.Class]}
	switch {
	case p.Action != nil && p.Class == Host: // a file that the user named
		c := &call{Action: *p.Action, copied: copied, early: t.memory.looks()}
		if t.returned(c, p) {
			o.habit = &m.out.Same
		}
		if o.file, o.read = c.file, c.again; o.read != nil {
			o.habit = nil // it is one already
		}
	case p.Action != nil:
		c := t.called(p, copied)
		o.tool = m.tool(c.Tool)
	case p.Class == Result:
		o.habit, o.least = &m.out.Kept, longKept
		if c := t.calls[p.Call]; c != nil {
			if t.returned(c, p) {
				o.habit, o.least = &m.out.Same, 0
			}
			o.tool, o.file, o.read = m.tool(c.Tool), c.file, c.again
		}
		if o.read != nil {
			o.habit = nil // it is one already
		}
	}
	t.memory.heard(t, p)
	if a != nil {
		a.weight += float64(p.Tokens)
		a.reasoning = a.reasoning || p.Class == Reasoning
	}
	if p.Tokens > 0 {
		t.window.push(float64(p.Tokens), o)
	}
}

// called takes a call.
func (t *thread) called(p Piece, copied bool) *call {
	c := &call{Action: *p.Action, copied: copied, early: t.memory.looks()}
	if !copied {
		t.meter.tool(c.Tool).Calls++
	}
	if !copied {
		t.memory.called(t, p)
	}
	if p.Call != "" && len(t.calls) < maxCalls {
		t.calls[p.Call] = c
	}
	return c
}

// reading counts a read of a file, which has succeeded.
func (t *thread) reading(c *call) {
	c.file = t.meter.file(c.Read)
	key := t.meter.key(c.Read)
	r := t.reads[key]
	first := r == nil
	if first {
		r = &read{parts: map[string]uint64{}}
		t.reads[key] = r
	}
	if !c.copied {
		c.file.Reads++
		if !first {
			c.file.Again++
		}
		if !first && r.era < t.memory.era {
			c.file.After++
			c.again = t.memory.rereads(c.Read, c.early)
		}
	}
	if r.era < t.memory.era {
		clear(r.parts) // what it returned is no longer in the window
	}
	r.era = t.memory.era
}

// returned takes the result of a call, and reports whether the context held the same already.
func (t *thread) returned(c *call, p Piece) (same bool) {
	if c.answered || c.Read == "" || p.Failed {
		return false
	}
	c.answered = true
	t.reading(c)
	r, digest := t.reads[t.meter.key(c.Read)], t.meter.hash(p.Text)
	was, ok := r.parts[c.Part]
	if same = ok && was == digest && !c.copied; same {
		c.file.Same++
	}
	r.parts[c.Part] = digest
	return same
}

// compact empties the window.
func (t *thread) compact(e Entry) {
	before := e.Compaction.Before
	if before == 0 && t.open != nil {
		before = t.open.Usage.In() + t.open.Usage.Output
	}
	t.settle()
	t.window.clear()
	t.prompt = 0
	if t.beyond == Earlier { // that is gone as well
		t.beyond, t.system, t.asked = System, 0, false
	}
	t.memory.compacted(t, e, before)
}

// end closes the thread.
func (t *thread) end() {
	t.settle()
	t.window.clear()
	t.memory.end(t)
}
