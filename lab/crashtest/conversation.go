package crashtest

import (
	"fmt"
	"strconv"
	"strings"

	"ctxledger.dev/intents"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// conversation is the model of one session: everything that the ledger has to say of it.
type conversation struct {
	handed    bool   // by a host: ids are made of the values of messages
	id        string // "" until the ledger has named it
	path      string // the file that its calls write
	entries   []modelEntry
	chain     string // id of the newest message
	turns     int
	calls     []modelCall
	changes   []string
	summaries []ledger.Summary // as answered when they were accepted, oldest first
	restored  map[string]bool  // those that were taken back
}

// modelEntry is an entry of the log.
type modelEntry struct {
	kind    sessions.Kind
	id      string
	digest  string // of the original, "" for what the ledger writes itself
	message bool   // it is in the view while no summary covers it
	stub    bool   // with a stub in it
}

// modelCall is a call with its intent.
type modelCall struct {
	id     string
	status intents.Status
}

// line is what is appended to a conversation: a message, with what follows from it, or a note.
type line struct {
	original []byte
	note     bool
	prompt   bool   // a request of the user
	call     string // it makes this call, which writes the file
	result   string // it carries the result of this call
	failed   bool   // which failed
	stub     bool   // and is so long that it becomes an artifact
}

// append takes over lines that the ledger has acknowledged.
func (c *conversation) append(lines []line) {
	for _, l := range lines {
		sum := sessions.Digest(l.original)
		id := sum
		if c.handed {
			id, _ = sessions.ValueDigest(transcript.Anthropic, l.original) // which the harness wrote
		}
		c.chain = sessions.MessageID(c.chain, id)
		e := modelEntry{kind: sessions.KindMessage, id: c.chain, digest: sum[:16], message: true, stub: l.stub}
		if l.note {
			e.kind, e.message = sessions.KindNote, false
		}
		c.entries = append(c.entries, e)
		if l.prompt {
			c.turns++
		}
		if l.call != "" {
			c.calls = append(c.calls, modelCall{l.call, intents.Pending})
		}
		if l.result != "" {
			c.finish(l)
		}
	}
}

// finish closes the newest call, to which a result belongs.
func (c *conversation) finish(l line) {
	call := &c.calls[len(c.calls)-1]
	if call.status = intents.Failed; l.failed {
		return
	}
	call.status = intents.Applied
	op := "modified"
	if len(c.changes) == 0 {
		op = "created"
	}
	c.changes = append(c.changes, fmt.Sprintf("%s %s in entry %d", op, c.path, len(c.entries)))
}

// open returns the call that has no result yet, or "".
func (c *conversation) open() string {
	if n := len(c.calls); n > 0 && c.calls[n-1].status == intents.Pending {
		return c.calls[n-1].id
	}
	return ""
}

// own notes an entry that the ledger wrote itself.
func (c *conversation) own(kind sessions.Kind) {
	c.entries = append(c.entries, modelEntry{kind: kind})
}

// current returns the summary that the view starts with, or nil.
func (c *conversation) current() *ledger.Summary {
	for i := len(c.summaries) - 1; i >= 0; i-- {
		if !c.restored[c.summaries[i].ID] {
			return &c.summaries[i]
		}
	}
	return nil
}

// expect returns the facts of the conversation.
func (c *conversation) expect() facts {
	f := facts{}
	if len(c.entries) == 0 {
		return f
	}
	received := 0
	for i, e := range c.entries {
		f[entryName(int64(i+1))] = strings.TrimSpace(fmt.Sprint(e.kind, " ", e.id, " ", e.digest))
		if e.digest != "" {
			received++
		}
	}
	f["turns"] = strconv.Itoa(c.turns)
	f["entries in events"] = strconv.Itoa(received)
	f["changes in events"] = strconv.Itoa(len(c.changes))
	for _, call := range c.calls {
		f["intent of "+call.id] = string(call.status)
	}
	for i, change := range c.changes {
		f[fmt.Sprintf("change %d", i+1)] = change
	}
	current := c.current()
	for i, s := range c.summaries {
		f[fmt.Sprintf("summary %d", i+1)] = fmt.Sprintf("%s to %d hash %s current %t restored %t",
			s.ID, s.To, s.TextHash[:16], current != nil && current.ID == s.ID, c.restored[s.ID])
	}
	c.expectView(f, current)
	return f
}

// expectView adds the messages of the view: the summary in effect and what it does not replace.
func (c *conversation) expectView(f facts, current *ledger.Summary) {
	first := int64(1)
	if current != nil {
		first = current.FirstKept
		f["view: summary"] = current.ID + " " + current.TextHash[:16]
	}
	for i, e := range c.entries {
		seq := int64(i + 1)
		switch {
		case !e.message || seq < first:
		case e.stub:
			f[viewName(seq)] = "edited"
		default:
			f[viewName(seq)] = e.digest
		}
	}
}

func entryName(seq int64) string { return fmt.Sprintf("entry %03d", seq) }
func viewName(seq int64) string  { return fmt.Sprintf("view: message of entry %03d", seq) }
