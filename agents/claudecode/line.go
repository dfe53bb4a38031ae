package claudecode

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Bounds of the texts that an entry takes out of a record, in bytes. Longer ones are not what
// they should be, and are left out; the original has them.
const (
	maxID   = 256
	maxPath = 4096 // PATH_MAX of Linux
)

// Decoder makes entries of the lines of one session file, which it has to see in order.
type Decoder struct {
	// Subagent says that the whole file is a subagent's, so that its lines are its conversation
	// and neither hidden beside another nor somebody else's.
	Subagent bool

	usage meter
	last  time.Time // of the newest record with a time
}

// record is what the top level of a line says; spans lie inside the line.
type record struct {
	kind, subtype   string
	id, parent      string
	logicalParent   string
	session, cwd    string
	agentID         string
	agentName       string
	attachment      transcript.Span
	rendered        transcript.Span // what of an attachment a model reads
	data            transcript.Span // of a progress record
	compaction      transcript.Span // of a compact_boundary record
	message, result transcript.Span
	time            time.Time

	meta, sidechain, compactSummary bool
}

// message is what is wanted of a record's message.
type message struct {
	id, model, role string
	stopped         bool // it says why it ends; before that its usage is not final
	content         transcript.Span
	usage           transcript.Span
}

// Entry makes an entry of one line, whose bytes it copies. It reports false for a line that is
// not a JSON object. A record of the conversation becomes a message, every other one a note that
// names its type.
func (d *Decoder) Entry(line []byte) (sessions.NewEntry, bool) {
	r, ok := parse(line)
	if !ok {
		return sessions.NewEntry{}, false
	}
	if !r.time.IsZero() {
		d.last = r.time
	}
	e := sessions.NewEntry{
		Kind:       sessions.KindNote,
		Time:       d.last,
		HostID:     r.id,
		HostParent: r.parent,
		Original:   bytes.Clone(line),
		Hidden:     r.meta || r.compactSummary || r.sidechain && !d.Subagent,
	}
	if e.HostParent == "" {
		e.HostParent = r.logicalParent
	}
	if r.sidechain && !d.Subagent {
		e.Author = r.author()
	}
	if r.kind != "user" && r.kind != "assistant" {
		e.Note = r.name(line)
		e.Hidden = e.Hidden || r.kind == "attachment" && !aside(e.Note)
		return e, true
	}
	m, ok := parseMessage(line, r)
	if !ok {
		e.Note = r.kind + " record without a message"
		return e, true
	}
	e.Kind = sessions.KindMessage
	e.Message, e.Format = r.message, transcript.Anthropic
	if r.kind == "assistant" {
		e.Group = m.id
		if m.model != synthetic {
			e.Model = m.model
		}
		e.Usage = d.usage.count(m.id, tokenUsage(line, m.usage))
		e.Unfinished = !m.stopped && e.Model != ""
	} else if !r.result.Empty() {
		e.Effects = effects(line[r.result.From:r.result.To])
	}
	return e, true
}

// aside reports whether an attachment stays with the user: what hooks did, but not what they add.
func aside(note string) bool {
	return strings.HasPrefix(note, "attachment hook_") && note != "attachment hook_additional_context"
}

// synthetic is the model that Claude Code names for answers it has written itself, such as the
// report of a failed request.
const synthetic = "<synthetic>"

// parse reads the top level of a line. It reports false when the line is not a JSON object.
func parse(line []byte) (record, bool) {
	var r record
	ok := members(line, func(key []byte, v transcript.Span) {
		if bytes.IndexByte(key, '\\') >= 0 {
			key = []byte(unquote(key))
		}
		raw := line[v.From:v.To]
		switch string(key) {
		case "type":
			r.kind = str(raw, maxID)
		case "subtype":
			r.subtype = str(raw, maxID)
		case "uuid":
			r.id = str(raw, maxID)
		case "parentUuid":
			r.parent = str(raw, maxID)
		case "logicalParentUuid":
			r.logicalParent = str(raw, maxID)
		case "sessionId":
			r.session = str(raw, maxID)
		case "cwd":
			r.cwd = str(raw, maxPath)
		case "agentId":
			r.agentID = str(raw, maxID)
		case "agentName":
			r.agentName = str(raw, maxID)
		case "timestamp":
			r.time = instant(raw)
		case "isMeta":
			r.meta = string(raw) == "true"
		case "isSidechain":
			r.sidechain = string(raw) == "true"
		case "isCompactSummary":
			r.compactSummary = string(raw) == "true"
		case "message":
			r.message = v
		case "toolUseResult":
			r.result = v
		case "attachment":
			r.attachment = v
		case "rendered":
			r.rendered = v
		case "data":
			r.data = v
		case "compactMetadata":
			r.compaction = v
		}
	})
	return r, ok
}

// parseMessage reads the message of a record, and reports whether it is one: an object with a
// role and content of the Anthropic form.
func parseMessage(line []byte, r record) (message, bool) {
	var m message
	if r.message.Empty() {
		return m, false
	}
	raw := line[r.message.From:r.message.To]
	ok := members(raw, func(key []byte, v transcript.Span) {
		v = transcript.Span{From: v.From + r.message.From, To: v.To + r.message.From}
		value := line[v.From:v.To]
		switch string(key) {
		case "id":
			m.id = str(value, maxID)
		case "model":
			m.model = str(value, maxID)
		case "role":
			m.role = str(value, maxID)
		case "stop_reason":
			m.stopped = value[0] == '"'
		case "content":
			m.content = v
		case "usage":
			m.usage = v
		}
	})
	if !ok || m.role != "user" && m.role != "assistant" || m.content.Empty() {
		return m, false
	}
	first := line[m.content.From]
	return m, first == '"' || first == '['
}

// author names who speaks in a subagent's record.
func (r record) author() string {
	switch {
	case r.agentName != "":
		return r.agentName
	case r.agentID != "":
		return r.agentID
	default:
		return "subagent"
	}
}

// name says in words what a record outside the conversation is: its type, and its subtype or
// the kind of its attachment.
func (r record) name(line []byte) string {
	sub := r.subtype
	if !r.attachment.Empty() {
		members(line[r.attachment.From:r.attachment.To], func(key []byte, v transcript.Span) {
			if string(key) == "type" {
				sub = str(line[r.attachment.From+v.From:r.attachment.From+v.To], maxID)
			}
		})
	}
	words := slices.DeleteFunc([]string{r.kind, sub}, func(s string) bool { return s == "" })
	switch len(words) {
	case 0:
		return "record without a type"
	case 1:
		return words[0]
	default:
		return words[0] + " " + words[1]
	}
}

// str returns the text of a JSON string, or "" for any other value and for one over limit bytes.
func str(raw []byte, limit int) string {
	if len(raw) < 2 || raw[0] != '"' || len(raw)-2 > limit {
		return ""
	}
	return jsonspan.Unquote(raw)
}

// instant returns the time that a JSON string holds, in UTC, or the zero time.
func instant(raw []byte) time.Time {
	t, err := time.Parse(time.RFC3339Nano, str(raw, maxID))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
