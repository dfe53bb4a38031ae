package claudecode

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ctxledger.dev/agents"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/report"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Room returns what reads session files of Claude Code without a ledger.
func Room() agents.Room {
	return agents.Room{
		Agent:     agents.ClaudeCode,
		Places:    func(e env.Env) []string { return []string{projectsDir(e)} },
		IsSession: isSessionFile,
		Describe:  describeSession,
		Survey:    survey,
		Read:      read,
		Whole:     whole,
	}
}

// whole reads a file for a replay.
func whole(file *os.File, path string) (*replay.Session, error) {
	r, err := readOpen(file, path)
	if err != nil {
		return nil, err
	}
	return &replay.Session{Name: filepath.Base(path), About: r.About, Entries: r.Entries, Summaries: r.Summaries}, nil
}

// describeSession says what the beginning of a file tells of its session. A subagent's file belongs to
// the session that started it.
func describeSession(path string, file io.ReaderAt) (report.Session, error) {
	d, err := describe(path, file)
	if err != nil {
		return report.Session{}, err
	}
	s := report.Session{
		ID: d.session.HostID, Agent: d.session.Host, Title: d.session.Title, Project: d.session.Dir, Subagent: d.subagent,
	}
	if d.parent != "" {
		s.ID = d.parent
	}
	return s, nil
}

// What a line must hold to be worth a survey's look: the names of members, which have their quotes
// escaped inside a text.
var (
	hasUsage      = []byte(`"usage"`)
	hasCompaction = []byte(`"compact_boundary"`)
)

// survey finds the ids of the requests in a file.
func survey(file io.Reader, path string) (agents.Survey, error) {
	var s agents.Survey
	r := NewReader(file, 0, 0)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return s, fileError(path, err)
		}
		if bytes.Contains(rec.Text, hasCompaction) {
			s.Compacted = true
		}
		if !bytes.Contains(rec.Text, hasUsage) {
			continue
		}
		line, ok := parse(rec.Text)
		if !ok {
			continue
		}
		into := &s.Requests
		text := rec.Text
		if line.kind == "progress" {
			into = &s.Reflected
			text, line, _ = reflected(rec.Text, line)
		}
		m, ok := parseMessage(text, line)
		if ok && line.kind == "assistant" && m.id != "" && tokenUsage(text, m.usage) != (sessions.Usage{}) {
			*into = append(*into, m.id)
		}
	}
}

// read hands every record of a file to take.
func read(file io.Reader, path string, take func(agents.Record)) (agents.Damage, error) {
	var damage agents.Damage
	subagent := isSubagent(filepath.Base(path))
	r := NewReader(file, 0, 0)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return damage, nil
		}
		if err != nil {
			return damage, fileError(path, err)
		}
		if rec.Long {
			damage.Note(rec.Line, true)
			continue
		}
		line, ok := parse(rec.Text)
		switch {
		case ok:
			if out, ok := spoken(rec.Text, line, subagent); ok {
				take(out)
			}
		case rec.Ended && len(bytes.TrimSpace(rec.Text)) > 0: // else it is still being written
			damage.Note(rec.Line, false)
		}
	}
}

// spoken makes a record of a line that belongs to a conversation.
func spoken(line []byte, r record, subagent bool) (agents.Record, bool) {
	out := agents.Record{ID: r.id, Parent: first(r.parent, r.logicalParent), Time: r.time}
	if r.sidechain && !subagent {
		out.Thread = first(r.agentID, "subagent")
	}
	switch r.kind {
	case "progress":
		return mirrored(line, r)
	case "system":
		if r.subtype == "compact_boundary" {
			out.Compaction = compactionOf(line, r.compaction)
			return out, true
		}
	case "attachment":
		if !aside(r.name(line)) {
			out.Aside = true
			out.Message = attached(line, r)
			return out, true
		}
	case "user", "assistant":
		return said(line, r, out)
	}
	return out, false
}

// said completes the record of a message.
func said(line []byte, r record, out agents.Record) (agents.Record, bool) {
	m, ok := parseMessage(line, r)
	if !ok {
		return out, false
	}
	var err error
	if out.Message, err = transcript.Decode(transcript.Anthropic, line[r.message.From:r.message.To]); err != nil {
		out.Message = transcript.Message{Role: transcript.Role(m.role)} // what it cost counts all the same
	}
	out.Aside, out.Summary = r.meta, r.compactSummary
	if r.kind == "assistant" && m.model != synthetic && !m.usage.Empty() {
		out.Request = request(line, m)
	}
	return out, true
}

// mirrored makes a record of the progress that a subagent's message has made: files of some versions hold
// subagents in no other form.
func mirrored(line []byte, r record) (agents.Record, bool) {
	text, inner, thread := reflected(line, r)
	if text == nil || inner.kind != "user" && inner.kind != "assistant" {
		return agents.Record{}, false
	}
	return said(text, inner, agents.Record{ID: inner.id, Time: inner.time, Thread: first(thread, "subagent")})
}

// reflected returns the message that a progress record tells of, as a line of its own, and whose it is.
func reflected(line []byte, r record) (text []byte, inner record, thread string) {
	if r.data.Empty() {
		return nil, record{}, ""
	}
	data := line[r.data.From:r.data.To]
	kind := ""
	members(data, func(key []byte, v transcript.Span) {
		switch string(key) {
		case "type":
			kind = str(data[v.From:v.To], maxID)
		case "agentId":
			thread = str(data[v.From:v.To], maxID)
		case "message":
			text = data[v.From:v.To]
		}
	})
	if kind != "agent_progress" || text == nil {
		return nil, record{}, ""
	}
	inner, ok := parse(text)
	if !ok {
		return nil, record{}, ""
	}
	return text, inner, thread
}

// request reads what the provider reported of an answer; nil when that is nothing, as in the copies that a
// compaction keeps.
func request(line []byte, m message) *report.Request {
	u := tokenUsage(line, m.usage)
	if u == (sessions.Usage{}) {
		return nil
	}
	r := &report.Request{ID: m.id, Model: m.model, Final: m.stopped}
	raw := line[m.usage.From:m.usage.To]
	members(raw, func(key []byte, v transcript.Span) {
		if string(key) == "speed" {
			r.Fast = str(raw[v.From:v.To], maxID) == "fast"
		}
	})
	r.Usage = report.Usage{
		Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite - u.CacheLong, CacheWriteLong: u.CacheLong, Output: u.Output,
	}
	return r
}

// compactionOf reads what a boundary says of its compaction.
func compactionOf(line []byte, at transcript.Span) *report.Compaction {
	c := &report.Compaction{}
	if at.Empty() {
		return c
	}
	raw := line[at.From:at.To]
	members(raw, func(key []byte, v transcript.Span) {
		value := raw[v.From:v.To]
		switch string(key) {
		case "trigger":
			c.Trigger = str(value, maxID)
		case "preTokens":
			if n, err := strconv.ParseInt(string(value), 10, 64); err == nil && 0 <= n && n <= maxTokens {
				c.Before = n
			}
		}
	})
	return c
}

// attached returns what an attachment adds to a conversation: the text that a model reads, where the record
// has it, else the attachment as it is.
func attached(line []byte, r record) transcript.Message {
	text := string(line[r.attachment.From:r.attachment.To])
	var rendered []struct {
		Content string `json:"content"`
	}
	if !r.rendered.Empty() && json.Unmarshal(line[r.rendered.From:r.rendered.To], &rendered) == nil {
		var texts []string
		for _, x := range rendered {
			texts = append(texts, x.Content)
		}
		text = strings.Join(texts, "\n")
	}
	return transcript.Message{Role: transcript.RoleUser, Parts: []transcript.Part{{Kind: transcript.KindText, Text: text}}}
}
