package sessionfile

import (
	"time"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/report"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// State says what a line is.
type State int

// The states of a line.
const (
	Whole    State = iota // a record
	Blank                 // white space
	Broken                // no record: damaged, too long, or still being written if it is not Ended
	Repeated              // repeats an earlier record of the file: the history was written again
)

// Record is what one line of a session file says, or one piece of a damaged line. Text and spans refer to the line, everything else is a copy.
type Record struct {
	Line
	State State

	ID, Parent string    // the agent's ids of this record and of the one that it follows
	Unique     bool      // the agent made the ID, if there is one: no other record of the file has it
	Time       time.Time // zero: the line has none
	Session    string    // the agent's id of the session
	// Origin is the record that the agent copied this one from when it forked another session. Zero: it does not say.
	Origin    sessions.Origin
	Dir       string // directory in which the agent runs
	StartedBy string // the agent's id of the session that started this one, which is a subagent's as a whole
	Title     string // that the user or the agent gave to the session

	// Thread is a subagent's id if the record belongs to its conversation inside this file, and Author its name.
	Thread, Author string
	Aside          bool // the agent added it for the model; the user neither wrote nor sees it
	Summary        bool // it replaces what was compacted
	// Loaded says that the agent sends what it added to the model with every request, as a message of the conversation.
	Loaded bool
	// Continues is our id of the session that ctxledger copied the record from, see Writer: that one counts what it did
	// and cost. "": the agent wrote it.
	Continues string
	// Again says that it repeats an earlier record, which a compaction has moved behind its summary: it fills the
	// context, and what it did and cost was counted. Joined sets it.
	Again bool

	// Message is the span of the provider's message in Text, in Format and with Role, or of what
	// transcript.MessageIn makes one of. Empty: a record outside the conversation, which Note describes.
	Message transcript.Span
	Format  transcript.Format
	Role    transcript.Role
	Note    string
	Effects []sessions.Effect // on files, as reported by the agent
	// Attached is the file whose text the agent put into the message, with a span of Text; nil: none is known.
	Attached *sessions.Attached
	Answer

	// Compaction is set if the records before this one left the context, but for those that Cut keeps.
	Compaction *report.Compaction
	Cut        *sessions.HostCut
	Cleared    []sessions.Cleared // results that the agent took out of its own context
	Window     int                // tokens of the context window, as the agent says; 0: it does not
	Version    string             // of the agent that wrote the record; "": it does not say
	// Queue is set on notes about messages that the user sent while the agent worked. Queued is the span of the
	// content of one that came, as it would stand in a message of Format.
	Queue  sessions.Queue
	Queued transcript.Span
	// Repeats, if set, returns a record of another conversation, a subagent's, that this one repeats, or nil. It
	// counts only where no file of its own has it.
	Repeats func() *Record
}

// Answer is what the provider said about an answer of a model.
type Answer struct {
	// Reply is the provider's id of the answer. Joined makes it a name that no other answer of the file has: records with
	// the same one are parts of one answer, which audits and sessions count as one request, whatever calls of models it
	// took. A note of what an answer cost has a name that repetitions share.
	Reply     string
	RequestID string // the id of the request, the provider's or the agent's; "": there is none
	// Copy is what the copies of the record in other files share; Joined completes it. A decoder sets whose conversation it
	// belongs to where copies have other times.
	Copy  string
	Added sessions.Usage // what Usage adds to that of earlier parts. Joined sets it
	Model string         // "": the agent wrote the answer itself
	Usage sessions.Usage // of the whole answer, as known when this part was written; Joined adds what earlier ones know
	Final bool           // Usage is final
	// Bill is what the provider charges for the whole answer; nil with a Usage of zero. Charged is what it adds to that of
	// earlier parts; Joined sets it.
	Bill, Charged sessions.Bill
	// Counters are numbers that the provider reports and that are neither in Bill nor known to be part of what is, or that
	// cannot be read: see Reported.
	Counters []string
}

// Measure sets what the provider reported, for a single call of the answer's model.
func (a *Answer) Measure(u sessions.Usage, words ...string) {
	a.Usage = u
	if a.Bill = nil; u != (sessions.Usage{}) {
		a.Bill = sessions.Bill{{Model: a.Model, Terms: tokens.TermsOf(int64(u.Prompt()), words...), Usage: u}}
	}
}

// uncounted takes back what the provider reported, of a record that repeats it.
func (a *Answer) uncounted() {
	a.Usage, a.Added, a.Bill, a.Charged, a.Counters = sessions.Usage{}, sessions.Usage{}, nil, nil, nil
}

// Spoken decodes what the record adds to the context of a model. A message that cannot be decoded has a
// role and no parts.
func (r *Record) Spoken() transcript.Message {
	if r.Message.Empty() {
		return transcript.Message{}
	}
	m, err := transcript.Decode(r.Format, transcript.MessageIn(r.Format, r.Text, r.Message))
	if err != nil {
		m = transcript.Message{Role: r.Role}
	}
	return m
}

// Request returns the request that the record is an answer to, or nil if nothing is reported.
func (r *Record) Request() *report.Request {
	if r.Usage == (sessions.Usage{}) && len(r.Counters) == 0 {
		return nil
	}
	q := &report.Request{ID: r.Reply, Model: r.Model, Final: r.Final, Usage: r.Usage.Used(), Counters: r.Counters}
	for _, c := range r.Bill {
		q.Bill = append(q.Bill, report.Charge{Model: c.Model, Terms: c.Terms, Usage: c.Used()})
	}
	return q
}

// Time returns the time that a JSON string holds, in UTC, or the zero time.
func Time(raw []byte) time.Time {
	t, err := time.Parse(time.RFC3339Nano, jsonspan.Text(raw, 256))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
