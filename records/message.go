package records

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// Message is what a person reads of one entry of a session: what was said, and a line for each call. Its texts are as they were
// stored: who shows them masks secrets first, and then escapes what controls a reader.
type Message struct {
	Seq    int64     `json:"seq"`
	Time   time.Time `json:"time"`
	Handle string    `json:"handle,omitempty"` // reads the message back
	// Note says what happened to the session, or to the message; "": it is a message that can be read.
	Note    string `json:"note,omitempty"`
	Speaker string `json:"speaker,omitempty"` // SpeakerUser or another one
	// Text is what it says; "" although there are Chars: it is too long to be shown.
	Text  string `json:"text,omitempty"`
	Chars int    `json:"chars,omitempty"`
	// Reasoning is the size of what is not shown of it; nil: there is none.
	Reasoning *tokens.Count `json:"reasoning,omitempty"`
	Calls     []Call        `json:"calls,omitempty"`
}

// The speakers of what the user and the agent said.
const (
	SpeakerUser      = "User"
	speakerAssistant = "Assistant"
)

// Call is a call of a tool, of whose result only the size is shown.
type Call struct {
	Name   string `json:"name"`
	Target string `json:"target,omitempty"` // a path, a command, a pattern
	// Result is how large it was; nil: there is none.
	Result *tokens.Count `json:"result,omitempty"`
	Failed bool          `json:"failed,omitempty"`
	// Handle reads the result back: an artifact, where Kept says that it became one.
	Handle string `json:"handle,omitempty"`
	Kept   bool   `json:"kept,omitempty"`
}

// conversation reads the log of a session as messages.
type conversation struct {
	Reader
	log     log
	scale   tokens.Scale // of the agent's window
	counted []tokens.Measured
	results map[string]result
}

// conversation returns what reads the session of a status.
func (r Reader) conversation(st ledger.Status) conversation {
	return conversation{r, log{r.API, st.Session.ID}, st.Scale, st.Counted, map[string]result{}}
}

// result is the result of a call, and what reads it back.
type result struct {
	sessions.Result
	seq    int64 // of its entry
	handle string
}

// take notes the results of an entry, so that calls know theirs.
func (c *conversation) take(e *sessions.Entry) {
	for _, r := range e.Results {
		c.results[r.CallID] = result{r, e.Seq, e.ResultHandle(r.CallID)}
	}
}

// count returns what some of an entry takes in the agent's window.
func (c *conversation) count(seq int64, o200k int) tokens.Count {
	return c.scale.Total(tokens.AmountOf(o200k, tokens.MeasuredAt(c.counted, seq)))
}

// message returns what a person reads of an entry; nil for one that is not shown.
func (c *conversation) message(ctx context.Context, e sessions.Entry) (*Message, error) {
	m := &Message{Seq: e.Seq, Time: e.Time}
	switch {
	case e.Hidden:
		return nil, nil
	case e.Kind == sessions.KindMessage:
		return c.said(ctx, e, m)
	case e.Kind == sessions.KindCompaction:
		var rec compaction.Record
		if err := json.Unmarshal(e.Data, &rec); err != nil {
			return nil, fault.Wrap(fault.Corrupt, "records.session", err)
		}
		m.Note = "Compacted: from here on summary `" + rec.ID + "` replaces turns " + chars.Commas(rec.TurnFrom) + "–" +
			chars.Commas(rec.TurnTo)
	case e.Kind == sessions.KindRestore:
		m.Note = "A compaction was undone"
	case e.Kind == sessions.KindRewind:
		m.Note = "The agent went back to an earlier message; the messages below continue from it"
	case e.Kind == sessions.KindEdits:
		m.Note = "From here on the view shows less of the earlier conversation"
	default:
		return nil, nil
	}
	return m, nil
}

// said adds what a message says, and its calls; nil: nothing of it is shown.
func (c *conversation) said(ctx context.Context, e sessions.Entry, m *Message) (*Message, error) {
	m.Speaker, m.Handle, m.Chars = speaker(e), e.Handle(), e.Chars
	if e.Forgotten != nil {
		m.Note = m.Speaker + ": forgotten on " + c.stamp(*e.Forgotten)
		return m, nil
	}
	if e.Chars > 0 {
		read, err := c.log.message(ctx, e)
		if err != nil {
			return nil, err
		}
		m.Text = strings.TrimSpace(transcript.PlainText(read))
	}
	if e.Reasoning > 0 {
		n := c.count(e.Seq, e.Reasoning)
		m.Reasoning = &n
	}
	for _, call := range e.Calls {
		m.Calls = append(m.Calls, c.call(call))
	}
	if m.Chars == 0 && m.Reasoning == nil && len(m.Calls) == 0 {
		return nil, nil
	}
	return m, nil
}

// speaker returns the author of a message.
func speaker(e sessions.Entry) string {
	switch {
	case e.Loaded:
		return "Added by the agent" // as ledger.Category has it
	case e.Earlier:
		return "Summary by the agent's host"
	case e.Role == transcript.RoleUser:
		return SpeakerUser
	case e.Role == transcript.RoleAssistant:
		return speakerAssistant
	}
	return "System"
}

// call describes a call and its result.
func (c *conversation) call(call sessions.Call) Call {
	out := Call{Name: flat(call.Name), Target: flat(call.Target)}
	if res, ended := c.results[call.ID]; ended {
		delete(c.results, call.ID)
		n := c.count(res.seq, res.Tokens)
		out.Result, out.Failed, out.Handle = &n, res.Failed, res.handle
		if res.Artifact != "" {
			out.Handle, out.Kept = res.Artifact, true
		}
	}
	return out
}
