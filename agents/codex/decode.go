package codex

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/report"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// The types of lines and events that are read by name. Every other line becomes a note.
const (
	typeMeta      = "session_meta"
	typeItem      = "response_item"
	typeEvent     = "event_msg"
	typeTurn      = "turn_context"
	typeCompacted = "compacted"
	typeUsage     = "token_usage_record"
	eventTokens   = "token_count"
	eventTitle    = "thread_name_updated"
	eventSettings = "thread_settings_applied"
)

// decoder decodes the lines of one rollout. It remembers what lines say for those that follow.
type decoder struct {
	session string // of the first session_meta
	root    string // the session that the history began in: another one's, in a fork
	asked   string // digest of the user's newest words
	said    string // digest of the newest item of an answer, and of what it answers
	records bool   // there are records of usage, so that events only repeat them
	model   string // of the newest turn_context
	tier    string // in which its requests are processed
	turn    string // its id
	answer  string // names the answer whose items are being written
	// total is what the newest count says of the whole session, and before the one before that; counted is where the
	// newest is, which may be decoded twice.
	total, before usage
	counted       int64
}

// row is what the top level of a line says; spans lie inside the line.
type row struct {
	text    []byte
	kind    string
	payload transcript.Span
	mark    mark
	sub     string // type of the payload
	role    string // of an item
	members map[string]transcript.Span
	// summarises says that the item is the answer to a request for a summary, which is in no further request.
	summarises bool
	bare       bool // the line has no envelope, as versions of 2025 wrote it
}

// wanted are the members of payloads that are looked at.
var wanted = []string{"id", "cwd", "model", "turn_id", "content", "info", "forked_from_id", "source",
	"thread_name", "thread_id", "replacement_history", "call_id", "usage", "thread_token_usage", "service_tier",
	"thread_settings", "model_context_window",
	"internal_chat_message_metadata_passthrough"}

// decode implements sessionfile.Decode. Items are the conversation; every other record is a note that names its type.
func (d *decoder) decode(out *sessionfile.Record) bool {
	l := row{text: out.Text, members: map[string]transcript.Span{}}
	if !l.parse(out) {
		return false
	}
	out.Session, out.Continues = d.session, l.mark.Continues
	if l.kind == typeItem && l.said(out) {
		d.spoken(&l, out)
		if l.bare && out.Aside {
			out.Dir = dirIn(out.Spoken())
		}
		return true
	}
	d.answer = ""
	if l.kind == typeEvent {
		out.Window = l.window()
	}
	switch {
	case l.kind == typeMeta:
		d.begins(&l, out)
	case l.kind == typeTurn:
		d.model, d.turn = l.str("model", maxID), cmp.Or(l.str("turn_id", maxID), d.turn)
		d.tier = cmp.Or(l.str("service_tier", maxID), d.tier)
		out.Dir = l.str("cwd", maxPath)
	case l.kind == typeCompacted:
		l.compacted(out)
		if !out.Message.Empty() {
			return true
		}
	case l.kind == typeUsage:
		d.records = true
		thread := l.str("thread_id", maxID)
		if thread == d.session || d.session == "" { // else it came with copied history
			d.count(&l, out, l.members["thread_token_usage"], l.members["usage"])
		}
	case l.kind == typeEvent && l.sub == eventTokens && !d.records:
		total, last := l.counts()
		d.count(&l, out, total, last)
	case l.kind == typeEvent && l.sub == eventSettings:
		d.tier = "" // the usual one is left out
		members(l.text, l.members["thread_settings"], func(name string, v transcript.Span) {
			if name == "service_tier" {
				d.tier = jsonspan.Text(v.In(l.text), maxID)
			}
		})
	case l.kind == typeEvent && l.sub == eventTitle:
		out.Title = l.str("thread_name", maxPath)
	}
	out.Note = l.name()
	return true
}

// parse reads the top level of a line and of its payload. It reports false when the line is not a JSON object.
func (l *row) parse(out *sessionfile.Record) bool {
	named := false
	ok := members(l.text, transcript.Span{To: len(l.text)}, func(name string, v transcript.Span) {
		raw := v.In(l.text)
		switch name {
		case "type":
			l.kind = jsonspan.Text(raw, maxID)
		case "timestamp":
			out.Time = sessionfile.Time(raw)
		case "payload":
			l.payload = v
		case "id":
			named = true
		case markName:
			l.marked(v)
		case "metadata":
			members(l.text, v, func(name string, v transcript.Span) {
				l.summarises = l.summarises || name == "compaction_output" && string(v.In(l.text)) == "true"
			})
		}
	})
	if !ok {
		return false
	}
	if l.payload.Empty() {
		l.strip(named && !out.Time.IsZero())
	}
	members(l.text, l.payload, func(name string, v transcript.Span) {
		switch name {
		case "type":
			l.sub = jsonspan.Text(v.In(l.text), maxID)
		case "role":
			l.role = jsonspan.Text(v.In(l.text), maxID)
		case markName:
			l.marked(v)
		default:
			for _, w := range wanted {
				if name == w {
					l.members[w] = v
				}
			}
		}
	})
	return true
}

// strip reads the line as one without an envelope, if it is: the first one of a file, which has an id and a time, or an item.
func (l *row) strip(first bool) {
	switch {
	case l.kind == "" && first:
		l.kind = typeMeta
	case l.kind == "message", l.kind == "reasoning", strings.HasSuffix(l.kind, "_call"),
		strings.HasSuffix(l.kind, "_output"):
		l.kind = typeItem
	default:
		return
	}
	l.bare = true
	l.payload.From = len(l.text) - len(bytes.TrimLeft(l.text, " \t"))
	l.payload.To = len(bytes.TrimSpace(l.text)) + l.payload.From
}

// marked reads our mark, which says that ctxledger wrote the line.
func (l *row) marked(at transcript.Span) {
	members(l.text, at, func(name string, v transcript.Span) {
		switch name {
		case "continues":
			l.mark.Continues = jsonspan.Text(v.In(l.text), maxID)
		case "summary":
			l.mark.Summary = string(v.In(l.text)) == "true"
		case "loaded":
			l.mark.Loaded = string(v.In(l.text)) == "true"
		}
	})
}

// str returns the text of a member of the payload, "" for none.
func (l *row) str(name string, limit int) string {
	return jsonspan.Text(l.members[name].In(l.text), limit)
}

// said fills in the message of an item, and reports whether it is one that a model reads.
func (l *row) said(out *sessionfile.Record) bool {
	_, called := l.members["call_id"]
	switch {
	case l.sub == "message" && l.role != "":
		if _, ok := l.members["content"]; !ok {
			return false
		}
	case l.sub == "reasoning", strings.HasSuffix(l.sub, "_call"), strings.HasSuffix(l.sub, "_output") && called,
		l.sub == "compaction", l.sub == "compaction_summary", l.sub == "context_compaction":
	default:
		return false
	}
	out.Message, out.Format = l.payload, transcript.OpenAIResponses
	m := out.Spoken()
	if len(m.Parts) == 0 {
		out.Message, out.Format = transcript.Span{}, ""
		return false
	}
	if strings.HasSuffix(l.sub, "_output") {
		out.Effects = patched(m)
	}
	out.Role = m.Role
	out.Summary = l.mark.Summary || transcript.Earlier(m) && l.mark.Continues == ""
	out.ID = l.str("id", maxID)
	out.Loaded = l.mark.Loaded
	out.Aside = out.Loaded || l.summarises || m.Role == transcript.RoleSystem ||
		m.Role == transcript.RoleUser && !out.Summary && (l.fromHarness() || hostWrote(m))
	return true
}

// fromHarness reports whether Codex says that it wrote a message itself: version 0.169.0 does.
func (l *row) fromHarness() bool {
	var said struct {
		Items []struct {
			Provenance struct {
				Type string `json:"type"`
			} `json:"provenance"`
		} `json:"content_item_metadata"`
	}
	at := l.members["internal_chat_message_metadata_passthrough"]
	if at.Empty() || json.Unmarshal(at.In(l.text), &said) != nil || len(said.Items) == 0 {
		return false
	}
	for _, x := range said.Items {
		if x.Provenance.Type != "harness" {
			return false
		}
	}
	return true
}

// hostWrote reports whether Codex wrote a message in the user's name: all its texts are.
func hostWrote(m transcript.Message) bool {
	for _, p := range m.Parts {
		if p.Kind != transcript.KindText || !sessionfile.Begins(p.Text, noise) {
			return false
		}
	}
	return true
}

// dirIn returns the working directory that a message about the environment names, "" for none.
func dirIn(m transcript.Message) string {
	for _, p := range m.Parts {
		if !strings.HasPrefix(strings.TrimSpace(p.Text), "<environment_context>") {
			continue
		}
		for _, marks := range [][2]string{{"<cwd>", "</cwd>"}, {"Current working directory: ", "\n"}} {
			if _, dir, found := strings.Cut(p.Text, marks[0]); found {
				dir, _, _ = strings.Cut(dir, marks[1])
				return strings.Clone(dir[:min(len(dir), maxPath)])
			}
		}
	}
	return ""
}

// spoken fills in which answer an item belongs to: items that follow each other are one.
func (d *decoder) spoken(l *row, out *sessionfile.Record) {
	if out.Role != transcript.RoleAssistant {
		d.answer = ""
		if out.Role == transcript.RoleUser && !out.Aside {
			d.asked = digest("", out.Spoken())
		}
		return
	}
	d.said = digest(d.asked, out.Spoken())
	if d.answer == "" {
		at := out.Time.Format("150405.000")
		if l.bare {
			at = strconv.FormatInt(out.Offset, 10)
		}
		d.answer = d.turn + "@" + at + "@" + out.ID
	}
	out.Answer = sessionfile.Answer{Reply: d.answer, Model: d.model, Final: true}
	if l.mark.Continues != "" {
		out.Answer = sessionfile.Answer{Final: true}
	}
}

// digest returns what tells messages apart that follow a text.
func digest(after string, m transcript.Message) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q", after)
	for _, p := range m.Parts {
		fmt.Fprintf(sum, " %s %q %q %q %q", p.Kind, p.ID, p.Name, p.Text, p.Args)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// begins reads the first record of a rollout. Those of other sessions come with history that was copied. The id of the
// record is that of the session where the history began, by which the ledger knows forks of one session.
func (d *decoder) begins(l *row, out *sessionfile.Record) {
	id, from := l.str("id", maxID), l.str("forked_from_id", maxID)
	if d.session == "" {
		d.session, d.root = id, id
	}
	out.Session = d.session
	if id != d.session || from != "" {
		d.root = cmp.Or(from, id)
	}
	out.ID = d.root
	out.Origin.Session = from
	if id != d.session {
		return
	}
	out.Dir = l.str("cwd", maxPath)
	var source struct {
		Subagent struct {
			Spawn struct {
				Parent string `json:"parent_thread_id"`
			} `json:"thread_spawn"`
		} `json:"subagent"`
	}
	if at := l.members["source"]; !at.Empty() && json.Unmarshal(at.In(l.text), &source) == nil {
		if out.StartedBy = source.Subagent.Spawn.Parent; out.StartedBy != "" && from == "" {
			out.ID = "" // it has history of the session that started it only if a record of that session follows
		}
	}
}

// counts returns where an event of tokens has those of the session and those of the newest answer.
func (l *row) counts() (total, last transcript.Span) {
	members(l.text, l.members["info"], func(name string, v transcript.Span) {
		switch name {
		case "total_token_usage":
			total = v
		case "last_token_usage":
			last = v
		}
	})
	return total, last
}

// window returns what an event says of the size of the context window, 0 for nothing.
func (l *row) window() (tokens int) {
	at := l.members["model_context_window"]
	members(l.text, l.members["info"], func(name string, v transcript.Span) {
		if name == "model_context_window" {
			at = v
		}
	})
	if n, err := strconv.ParseInt(string(at.In(l.text)), 10, 32); err == nil {
		tokens = max(0, int(n))
	}
	return tokens
}

// count fills in what the provider measured of an answer: what an event says of the last one, or where it has totals
// alone, what they grew by. Codex repeats it when a session is resumed or only limits of rates have changed, and copies it
// into forks with another time: the totals, and what was said, tell answers apart.
func (d *decoder) count(l *row, out *sessionfile.Record, total, last transcript.Span) {
	if d.counted != out.Offset {
		d.before, d.counted = d.total, out.Offset
	}
	sum, grown, unread := totalOf(l.text, total, d.before)
	answer, counters := usageOf(l.text, last, usage{})
	switch d.total = sum; {
	case l.silent(total):
		sum, d.total = usage{}, d.before.plus(answer, 1)
	case l.silent(last):
		answer, counters = grown, unread
	}
	u := answer.usage()
	if u == (sessions.Usage{}) && len(counters) == 0 || l.mark.Continues != "" {
		return
	}
	out.Answer = sessionfile.Answer{Model: d.model, Final: true, Counters: counters,
		Reply: fmt.Sprintf("%s/%d/%d/%s", d.root, sum.input, sum.output, d.said)}
	out.Measure(u, d.tier)
	out.ID = out.Reply
}

// silent reports whether the value of a member says nothing.
func (l *row) silent(at transcript.Span) bool {
	return slices.Contains([]string{"", "null", "{}"}, string(at.In(l.text)))
}

// usage is what Codex says of tokens. The input has those that were cached, the output those of reasoning.
type usage struct{ input, cached, written, output, reasoned int64 }

// usageOf reads a usage, and which of its numbers are not known. What is missing or cannot be read is as before.
func usageOf(text []byte, at transcript.Span, before usage) (u usage, counters []string) {
	u = before
	counters = sessionfile.Reported(at.In(text), map[string]*int64{
		"input_tokens": &u.input, "cached_input_tokens": &u.cached, "cache_write_input_tokens": &u.written,
		"output_tokens": &u.output, "reasoning_output_tokens": &u.reasoned, "total_tokens": nil,
	}, func(_, _ []byte) bool { return false })
	return u, counters
}

// plus returns the sum with so many times another usage.
func (u usage) plus(v usage, times int64) usage {
	return usage{u.input + times*v.input, u.cached + times*v.cached, u.written + times*v.written,
		u.output + times*v.output, u.reasoned + times*v.reasoned}
}

// totalOf reads a total, and what it has grown by since the one before it. One that is smaller counts from 0 again: early
// versions of Codex began so where they resumed a session, and all of them do where the window was full. Nothing of it was
// in the one before.
func totalOf(text []byte, at transcript.Span, before usage) (total, grown usage, counters []string) {
	total, counters = usageOf(text, at, before)
	grown = total.plus(before, -1)
	if min(grown.input, grown.cached, grown.written, grown.output) < 0 {
		total, counters = usageOf(text, at, usage{})
		grown = total
	}
	return total, grown, counters
}

// usage returns it as sessions count.
func (u usage) usage() sessions.Usage {
	cached := min(u.cached, u.input)
	written := min(u.written, u.input-cached)
	return sessions.Usage{Input: u.input - cached - written, CacheRead: cached, CacheWrite: written, Output: u.output,
		Reasoning: max(0, min(u.reasoned, u.output))}
}

// compacted reads a compaction: a model reads its replacement in the place of everything before. The summary is the
// last message of that.
func (l *row) compacted(out *sessionfile.Record) {
	if l.mark.Continues != "" {
		return
	}
	out.Compaction, out.Cut = &report.Compaction{}, &sessions.HostCut{}
	for _, at := range elements(l.text, l.members["replacement_history"]) {
		m, err := transcript.Decode(transcript.OpenAIResponses, at.In(l.text))
		switch {
		case err == nil && transcript.Earlier(m):
			out.Message, out.Format, out.Role, out.Summary = at, transcript.OpenAIResponses, m.Role, true
		case len(out.Cut.Kept) < sessions.MaxKept:
			if id := idOf(l.text, at); id != "" {
				out.Cut.Kept = append(out.Cut.Kept, id)
			}
		}
	}
}

// idOf returns the id of an item.
func idOf(text []byte, at transcript.Span) (id string) {
	members(text, at, func(name string, v transcript.Span) {
		if name == "id" {
			id = jsonspan.Text(v.In(text), maxID)
		}
	})
	return id
}

// name says in words what a line outside the conversation is.
func (l *row) name() string {
	if l.kind == "" {
		return "record without a type"
	}
	return strings.TrimSpace(l.kind + " " + l.sub)
}
