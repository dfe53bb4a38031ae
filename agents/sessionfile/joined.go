package sessionfile

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"
	"time"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

const (
	// maxKnown bounds what is remembered of the records of one file: ids of records and of answers, about 60 bytes
	// each. Of what lies behind it a repetition is not noticed.
	maxKnown = 1 << 20
	// maxOpen is how many answers can be under way at once: the main conversation's, and in files of older versions those
	// of subagents that work side by side.
	maxOpen = 16
	// maxReach bounds the records that follow from one answer before the next one.
	maxReach = 10_000
)

// Joined returns a Decode that also decides, for all readers of a file, which records are parts of one answer, and which
// repeat an earlier record of the file. It must see every record from the first on; the newest one may be decoded twice.
// It fills in Reply, Copy, Added, State and Again.
func Joined(decode Decode) Decode {
	j := &joiner{known: map[fingerprint]place{}, cut: -1}
	j.seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	return func(r *Record) bool {
		if !decode(r) {
			return false
		}
		if repeats, at := r.Repeats, r.Offset; repeats != nil {
			r.Repeats = func() *Record {
				x := repeats()
				if x == nil {
					return nil
				}
				x.Offset = at
				if j.repeats != nil && j.repeats.offset == at {
					j.repeats.fill(x)
				} else {
					j.decide(x)
					v := verdictOf(x)
					j.repeats = &v
				}
				if x.State == Repeated {
					return nil
				}
				return x
			}
		}
		if j.begun && r.Offset == j.newest.offset {
			j.newest.fill(r)
			return true
		}
		j.decide(r)
		j.begun, j.newest = true, verdictOf(r)
		return true
	}
}

// joiner remembers what it needs of the records of one file.
type joiner struct {
	seeds  [2]maphash.Seed
	known  map[fingerprint]place
	cut    int64     // offset of the newest compaction
	open   []*answer // the newest last
	begun  bool
	newest verdict
	// repeats is what was decided of the newest record that another one repeats; nil: there was none.
	repeats *verdict
}

// place is where a record was: its offset, and a fingerprint of the id of the record that it follows.
type place struct {
	offset int64
	parent fingerprint
}

// answer is one whose parts may still come.
type answer struct {
	said, thread string // what its parts have in common
	name         string
	usage        sessions.Usage
	bill         sessions.Bill
	final        bool
	reach        map[string]bool // ids of its records, and of those that follow from them
	awaits       string          // id of a record that a part follows and that has not come yet
	answered     bool            // results of its calls have come
	closed       bool            // the user has spoken since
	heard        bool            // a message without a parent has come since, which may be what the next answer answers
	over         bool            // and another answer since then
}

// verdict is what was decided of a record.
type verdict struct {
	offset      int64
	state       State
	reply, copy string
	usage, add  sessions.Usage
	bill, more  sessions.Bill
	again       bool
}

func verdictOf(r *Record) verdict {
	return verdict{r.Offset, r.State, r.Reply, r.Copy, r.Usage, r.Added, r.Bill, r.Charged, r.Again}
}

// fill decides of a record as before.
func (v verdict) fill(r *Record) {
	if v.state == Repeated {
		*r = Record{Line: r.Line, State: Repeated}
		return
	}
	r.Reply, r.Copy, r.Usage, r.Added, r.Again = v.reply, v.copy, v.usage, v.add, v.again
	r.Bill, r.Charged = v.bill, v.more
}

// fingerprint identifies a record: the hash of its id or, without one, of its bytes.
type fingerprint struct {
	kind uint8
	sum  [2]uint64
}

// The kinds of fingerprints.
const (
	ofRecord = iota
	ofLine
	ofAnswer
)

func (j *joiner) fingerprint(kind uint8, id []byte) fingerprint {
	return fingerprint{kind, [2]uint64{maphash.Bytes(j.seeds[0], id), maphash.Bytes(j.seeds[1], id)}}
}

// decide fills in a record.
func (j *joiner) decide(r *Record) {
	if r.Unique && j.before(r) {
		if r.State == Repeated {
			*r = Record{Line: r.Line, State: Repeated}
			return
		}
		r.Again = true
		r.uncounted()
	}
	if r.Compaction != nil {
		j.cut = r.Offset
	}
	r.Added, r.Charged = r.Usage, r.Bill
	said := r.Reply + "\x00" + r.RequestID
	switch {
	case said == "\x00":
		j.hear(r)
	case r.Message.Empty():
		j.measured(r)
	default:
		where := cmp.Or(r.Copy, r.Time.Format(time.RFC3339Nano))
		r.Copy = r.Reply + "\x00" + where
		for _, n := range []int64{r.Usage.Input, r.Usage.CacheRead, r.Usage.CacheWrite} {
			r.Copy += "\x00" + strconv.FormatInt(n, 10)
		}
		j.answered(r, said)
	}
}

// before reports whether the file already had a record. History that was written again is Repeated. A record that a
// compaction moved behind its summary has another parent than before, and stays. A record without an id is identified
// by its bytes, if they include its time.
func (j *joiner) before(r *Record) bool {
	id, here := j.fingerprint(ofRecord, []byte(r.ID)), place{r.Offset, j.fingerprint(ofRecord, []byte(r.Parent))}
	switch {
	case r.ID == "" && r.Time.IsZero():
		return false
	case r.ID == "":
		id = j.fingerprint(ofLine, r.Text)
	}
	was, ok := j.known[id]
	if ok && was.offset > j.cut || ok && was.parent == here.parent {
		r.State = Repeated
		return true
	}
	if ok || len(j.known) < maxKnown {
		j.known[id] = here
	}
	return ok
}

// measured takes in a note of what an answer cost. Its name says all of that, so that one with the same name repeats it.
func (j *joiner) measured(r *Record) {
	r.Copy = r.Reply
	if j.taken(r.Reply) {
		r.uncounted()
	}
}

// taken reports whether an answer of the file is known to have a name, and gives it away.
func (j *joiner) taken(name string) bool {
	id := j.fingerprint(ofAnswer, []byte(name))
	_, taken := j.known[id]
	if !taken && len(j.known) < maxKnown {
		j.known[id] = place{}
	}
	return taken
}

// hear takes in a record that is no part of an answer.
func (j *joiner) hear(r *Record) {
	said := !r.Message.Empty()
	words := said && r.Role == transcript.RoleUser && !r.Aside && !r.Summary
	for _, a := range j.open {
		follows := r.Parent != "" && a.reach[r.Parent]
		if a.thread != r.Thread || !follows && r.Parent != "" {
			continue
		}
		a.closed = a.closed || words && (follows || r.ID == "")
		a.heard = a.heard || said && r.Parent == ""
		a.answered = a.answered || r.Role == transcript.RoleTool
		a.add(r.ID)
	}
}

func (a *answer) add(id string) {
	if id != "" && len(a.reach) < maxReach {
		a.reach[id] = true
	}
}

// add takes in a record of an answer.
func (j *joiner) add(a *answer, r *Record) {
	a.add(r.ID)
	if r.ID == a.awaits {
		a.awaits = ""
	}
	if j.early(r) {
		a.awaits = r.Parent
	}
}

// early reports whether a record comes before the one that it follows, as where records changed places.
func (j *joiner) early(r *Record) bool {
	_, known := j.known[j.fingerprint(ofRecord, []byte(r.Parent))]
	return r.Parent != "" && !known
}

// answered takes in a part of an answer.
func (j *joiner) answered(r *Record, said string) {
	for _, a := range slices.Backward(j.open) {
		if a.said == said && a.thread == r.Thread {
			if !a.takes(r, j.early(r)) {
				break
			}
			if r.Again || a.final && !r.Final { // what an earlier report says, where records changed places
				r.uncounted()
			} else {
				r.Usage, r.Bill = r.Usage.After(a.usage), r.Bill.After(a.bill)
				r.Added, r.Charged = r.Usage.Minus(a.usage), r.Bill.Since(a.bill)
				a.usage, a.bill, a.final = r.Usage, r.Bill, a.final || r.Final
			}
			j.add(a, r)
			r.Reply = a.name
			return
		}
	}
	j.begin(r, said)
}

// begin takes in the first part of an answer. Where its id was given before, it is named by its first record, too.
func (j *joiner) begin(r *Record, said string) {
	kept := j.open[:0]
	for _, a := range j.open {
		a.over = a.over || a.heard && a.thread == r.Thread
		if a.said != said || a.thread != r.Thread {
			kept = append(kept, a)
		}
	}
	if j.open = kept; len(j.open) == maxOpen {
		j.open = slices.Delete(j.open, 0, 1)
	}
	if full := len(j.known) >= maxKnown; (j.taken(r.Reply) || full) && !r.Again {
		own := r.ID
		if own == "" {
			own = strconv.FormatInt(r.Offset, 10)
		}
		r.Reply += "@" + own
	}
	a := &answer{said: said, thread: r.Thread, name: r.Reply, usage: r.Usage, bill: r.Bill, final: r.Final,
		reach: map[string]bool{}}
	j.add(a, r)
	j.open = append(j.open, a)
}

// takes reports whether a record with the id of an answer is a part of it. Gateways give each answer the same id, or begin
// to count again. But the parts of one answer have one usage, though earlier ones may report less output, or the first of
// several calls; each follows from another one, or from a result of its calls, unless records changed places; and nothing
// that was said to the model is between them.
func (a *answer) takes(r *Record, early bool) bool {
	follows := r.Parent == "" && !a.over || r.Parent != "" && a.reach[r.Parent] || r.ID != "" && r.ID == a.awaits
	moved := (early || a.awaits != "") && r.Usage.Prompt() > 0
	switch {
	case a.closed || !follows && !moved:
		return false
	case r.Usage.Prompt() > 0 && a.usage.Prompt() > 0 && prompted(r.Usage) != prompted(a.usage) &&
		(len(r.Bill) < 2 || prompted(r.Bill[0].Usage) != prompted(a.usage)):
		return false
	case a.final && !moved && r.Usage.Output != a.usage.Output:
		return false
	}
	return !a.answered || !speaks(r)
}

// prompted returns a usage without what some parts of an answer do not know: the output, what was searched for meanwhile,
// and how long the cache keeps what was written.
func prompted(u sessions.Usage) sessions.Usage {
	u.Output, u.Searches, u.CacheLong, u.Reasoning = 0, 0, 0, 0
	return u
}

// speaks reports whether a part of an answer has more than calls. A model calls after it has spoken, so that words behind
// a result answer it.
func speaks(r *Record) bool {
	return slices.ContainsFunc(r.Spoken().Parts, func(p transcript.Part) bool { return p.Kind != transcript.KindCall })
}
