package claudecode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/report"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Bounds of the texts that an entry takes out of a record, in bytes. Longer ones are not what
// they should be, and are left out; the original has them.
const (
	maxID   = 256
	maxPath = 4096 // PATH_MAX of Linux

	maxTitle = 1024
)

// decoder decodes the lines of one session file. It remembers nothing.
type decoder struct {
	subagent bool // the whole file is a subagent's, so that its lines are its conversation
	// apart reports whether a subagent has a file of its own, which counts what the session's only repeats.
	apart func(agent string) bool
}

// line is what the top level of a line says; spans lie inside it.
type line struct {
	text            []byte
	kind, subtype   string
	id, parent      string
	request, ref    string // ids of the request: the provider's, and that of Claude Code since 2.1.328
	logicalParent   string
	session, cwd    string
	version         string // of Claude Code
	agentID         string
	agentName       string
	title           string // of a custom-title record
	prompt          string // the id of the user's prompt that led to it
	attachment      transcript.Span
	rendered        transcript.Span // what of an attachment a model reads, in versions that write it down
	data            transcript.Span // of a progress record
	compaction      transcript.Span // of a compact_boundary record
	operation       string          // of a queue-operation record
	reason          string          // ″
	content         transcript.Span // ″
	message, result transcript.Span
	said            message
	outcome         outcome
	time            time.Time

	meta, sidechain, compactSummary bool
	apiError                        bool // it reports a failed request in the agent's name
	replacesSpan                    bool // it replaces earlier messages
	// continues is our id of the session that ctxledger copied the record from, see mark; "": it is the agent's own.
	continues string
	origin    sessions.Origin // the record that it was copied from when the session was forked
}

// message is what is wanted of a record's message.
type message struct {
	id, model, role string
	whole           bool // it is an object
	stopped         bool // it says why it ends; before that its usage is not final
	content         transcript.Span
	usage           transcript.Span
}

// decode implements sessionfile.Decode. A record of the conversation has a message, every other one a note
// that names its type.
func (d decoder) decode(out *sessionfile.Record) bool {
	l, ok := parse(out.Text)
	if !ok {
		return false
	}
	out.ID, out.Parent, out.Time, out.Unique = l.id, cmp.Or(l.parent, l.logicalParent), l.time, true
	out.Session, out.Dir, out.Origin, out.Version = l.session, l.cwd, l.origin, l.version
	out.Aside = l.meta || l.apiError && l.kind == "assistant"
	out.Summary, out.Continues = l.compactSummary, l.continues
	if l.sidechain && !d.subagent {
		out.Thread = cmp.Or(l.agentID, "subagent")
		out.Author = cmp.Or(l.agentName, out.Thread)
	}
	if d.subagent {
		out.Copy = l.agentID
	}
	switch l.kind {
	case "user", "assistant":
		if !l.speaks(out) {
			out.Note = l.kind + " record without a message"
		}
		return true
	case "system":
		switch {
		case l.subtype == "compact_boundary" && l.continues == "":
			out.Compaction, out.Cut = l.boundary()
		case l.subtype == "local_command":
			load(out, l.content)
		}
	case "custom-title":
		out.Title = l.title
	case "queue-operation":
		l.queued(out)
	case "progress":
		kept := l
		out.Repeats = func() *sessionfile.Record { return kept.repeated(d.apart) }
	}
	out.Note = l.name()
	if l.kind == "system" && l.micro() || l.replaces(out.Note) {
		out.Cleared = l.takenOut()
	}
	if l.kind == "attachment" {
		l.attached(out)
		l.steered(out)
	}
	return true
}

// speaks fills in the message of a line, and reports whether it has one.
func (l *line) speaks(out *sessionfile.Record) bool {
	m := l.said
	if !m.is(l.text) {
		return false
	}
	out.Message, out.Format, out.Role = l.message, transcript.Anthropic, transcript.Role(m.role)
	// Inside a text its quotes would be escaped.
	results := l.kind != "assistant" && bytes.Contains(l.at(m.content), []byte(`"tool_result"`))
	out.Aside = out.Aside && !results
	out.Loaded = l.meta && l.kind != "assistant" && !results && !out.Summary
	switch {
	case l.continues != "":
		out.Answer = sessionfile.Answer{Reply: m.id, Model: m.model, Final: true}
		if m.model == synthetic {
			out.Model = ""
		}
	case l.kind != "assistant":
		if results {
			out.Role = transcript.RoleTool
		}
		out.Effects = l.outcome.effects()
	case m.model == synthetic:
		out.Reply = m.id
	default:
		out.Answer = sessionfile.Answer{Reply: m.id, RequestID: cmp.Or(l.ref, l.request), Copy: out.Copy,
			Model: m.model, Final: m.stopped}
		Measure(&out.Answer, l.at(m.usage))
	}
	return true
}

// repeated returns the record in a progress record: some versions keep subagents in no other form.
func (l *line) repeated(apart func(agent string) bool) *sessionfile.Record {
	var kind, thread string
	out := new(sessionfile.Record)
	data := l.at(l.data)
	members(data, func(key []byte, v transcript.Span) {
		switch string(key) {
		case "type":
			kind = jsonspan.Text(data[v.From:v.To], maxID)
		case "agentId":
			thread = jsonspan.Text(data[v.From:v.To], maxID)
		case "message":
			out.Text = data[v.From:v.To]
		}
	})
	if kind != "agent_progress" || apart(thread) || !(decoder{apart: apart}).decode(out) || out.Message.Empty() {
		return nil
	}
	out.Parent, out.Thread = "", cmp.Or(thread, "subagent")
	out.Author = out.Thread
	out.Copy = thread
	return out
}

// boundary reads what the boundary of a compaction says, and which messages stay verbatim behind the summary.
func (l *line) boundary() (*report.Compaction, *sessions.HostCut) {
	c, cut := &report.Compaction{}, &sessions.HostCut{}
	raw := l.at(l.compaction)
	members(raw, func(key []byte, v transcript.Span) {
		switch string(key) {
		case "trigger":
			c.Trigger = jsonspan.Text(raw[v.From:v.To], maxID)
		case "preTokens":
			c.Before, _ = sessionfile.Count(raw[v.From:v.To])
		case "preservedMessages":
			var preserved struct {
				All []string `json:"allUuids"`
			}
			if json.Unmarshal(raw[v.From:v.To], &preserved) == nil {
				cut.Kept = preserved.All[:min(len(preserved.All), sessions.MaxKept)]
			}
		}
	})
	cut.Auto, cut.Before = c.Trigger == "auto", c.Before
	return c, cut
}

// at returns the bytes of a span, nil for an empty one.
func (l *line) at(s transcript.Span) []byte {
	if s.Empty() {
		return nil
	}
	return l.text[s.From:s.To]
}

// synthetic is the model that Claude Code names for answers it has written itself, such as the
// report of a failed request.
const synthetic = "<synthetic>"

// parse reads a line: its top level, what is wanted of its message, and what the result of a call says of files. It reports
// false when the line is not a JSON object.
func parse(text []byte) (line, bool) {
	r := line{text: text}
	w := jsonspan.New(text, jsonspan.MaxDepth)
	if w.Peek() != '{' {
		return r, false
	}
	for name := range w.Inside {
		key := text[name.From+1 : name.To-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			key = []byte(unquote(key))
		}
		first, from := w.Peek(), w.Pos()
		switch {
		case string(key) == "message":
			if r.said = (message{}); first == '{' {
				each(w, text, r.said.take)
			}
			r.said.whole = first == '{' && w.Err() == nil
		case string(key) == "toolUseResult":
			if r.outcome = (outcome{}); first == '{' {
				each(w, text, r.outcome.take)
			}
		}
		if w.Pos() == from {
			w.Value()
		}
		if w.Err() == nil {
			r.take(key, transcript.Span{From: from, To: w.Pos()})
		}
	}
	return r, w.End() == nil
}

// take notes a member of a line.
func (r *line) take(key []byte, v transcript.Span) {
	raw := v.In(r.text)
	switch string(key) {
	case "type":
		r.kind = jsonspan.Text(raw, maxID)
	case "subtype":
		r.subtype = jsonspan.Text(raw, maxID)
	case "uuid":
		r.id = jsonspan.Text(raw, maxID)
	case "parentUuid":
		r.parent = jsonspan.Text(raw, maxID)
	case "requestId":
		r.request = jsonspan.Text(raw, maxID)
	case "requestRef":
		r.ref = jsonspan.Text(raw, maxID)
	case "logicalParentUuid":
		r.logicalParent = jsonspan.Text(raw, maxID)
	case "sessionId":
		r.session = jsonspan.Text(raw, maxID)
	case "cwd":
		r.cwd = jsonspan.Text(raw, maxPath)
	case "version":
		r.version = jsonspan.Text(raw, maxID)
	case "agentId":
		r.agentID = jsonspan.Text(raw, maxID)
	case "customTitle":
		r.title = jsonspan.Text(raw, maxTitle)
	case "agentName":
		r.agentName = jsonspan.Text(raw, maxID)
	case "promptId":
		r.prompt = jsonspan.Text(raw, maxID)
	case "timestamp":
		r.time = sessionfile.Time(raw)
	case "isMeta":
		r.meta = string(raw) == "true"
	case "isApiErrorMessage":
		r.apiError = string(raw) == "true"
	case "isSidechain":
		r.sidechain = string(raw) == "true"
	case "ctxledger":
		r.continues = continued(raw)
	case "forkedFrom":
		r.origin = forkedFrom(raw)
	case "isCompactSummary":
		r.compactSummary = string(raw) == "true"
	case "replacesSpan":
		r.replacesSpan = string(raw) == "true"
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
	case "operation":
		r.operation = jsonspan.Text(raw, maxID)
	case "reason":
		r.reason = jsonspan.Text(raw, maxID)
	case "content":
		r.content = v
	}
}

// continued reads the mark of a record that ctxledger wrote.
func continued(raw []byte) (session string) {
	members(raw, func(key []byte, v transcript.Span) {
		if string(key) == "continues" {
			session = jsonspan.Text(raw[v.From:v.To], maxID)
		}
	})
	return session
}

// forkedFrom reads where a record comes from.
func forkedFrom(raw []byte) (from sessions.Origin) {
	members(raw, func(key []byte, v transcript.Span) {
		switch string(key) {
		case "sessionId":
			from.Session = jsonspan.Text(raw[v.From:v.To], maxID)
		case "messageUuid":
			from.Record = jsonspan.Text(raw[v.From:v.To], maxID)
		}
	})
	return from
}

// take notes a member of a message.
func (m *message) take(key []byte, text []byte, v transcript.Span) {
	value := v.In(text)
	switch string(key) {
	case "id":
		m.id = jsonspan.Text(value, maxID)
	case "model":
		m.model = jsonspan.Text(value, maxID)
	case "role":
		m.role = jsonspan.Text(value, maxID)
	case "stop_reason":
		m.stopped = value[0] == '"'
	case "content":
		m.content = v
	case "usage":
		m.usage = v
	}
}

// is reports whether it is a message: an object with a role and content of the Anthropic form.
func (m *message) is(text []byte) bool {
	if !m.whole || m.role != "user" && m.role != "assistant" || m.content.Empty() {
		return false
	}
	first := text[m.content.From]
	return first == '"' || first == '['
}

// name says in words what a line outside the conversation is: its type, and its subtype or
// the kind of its attachment.
func (l *line) name() string {
	sub := l.subtype
	raw := l.at(l.attachment)
	members(raw, func(key []byte, v transcript.Span) {
		if string(key) == "type" {
			sub = jsonspan.Text(raw[v.From:v.To], maxID)
		}
	})
	switch {
	case l.kind == "" && sub == "":
		return "record without a type"
	case l.kind == "" || sub == "":
		return l.kind + sub
	default:
		return l.kind + " " + sub
	}
}
