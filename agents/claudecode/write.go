package claudecode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"time"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/intents"
	"ctxledger.dev/transcript"
)

// Writer returns what writes session files of Claude Code.
func Writer() sessionfile.Writer {
	return sessionfile.Writer{
		Agent: Name,
		Base:  projectsDir,
		Path:  func(c *sessionfile.Continuation) string { return path.Join(slug(c.Dir), c.ID+".jsonl") },
		Encode: func(c *sessionfile.Continuation) ([]byte, error) {
			w := writer{c: c, from: mark{Continues: c.Origin.Session}}
			return w.file()
		},
		Resume: func(id string) []string { return []string{"claude", "--resume", id} },
		Keeps:  keeps,
	}
}

// maxKeeps bounds what is copied of a result besides its message, in bytes: files that were read are well below.
const maxKeeps = 1 << 20

// keeps returns the toolUseResult of a line: Claude Code knows by it which files were read.
func keeps(text []byte) json.RawMessage {
	l, ok := parse(text)
	if raw := l.at(l.result); ok && len(raw) <= maxKeeps {
		return bytes.Clone(raw)
	}
	return nil
}

// Names of members.
const (
	typeUser      = "user"
	typeAssistant = "assistant"
)

// record is a line of a session file as ctxledger writes it. Claude Code finds the order by Parent alone, and ignores
// members that it does not know.
type record struct {
	Parent    *string `json:"parentUuid"`
	Logical   string  `json:"logicalParentUuid,omitempty"`
	Sidechain bool    `json:"isSidechain"`
	Type      string  `json:"type"`
	Subtype   string  `json:"subtype,omitempty"`
	Content   string  `json:"content,omitempty"`
	Level     string  `json:"level,omitempty"`
	Message   any     `json:"message,omitempty"`
	Meta      bool    `json:"isMeta,omitempty"`
	Summary   bool    `json:"isCompactSummary,omitempty"`
	Hidden    bool    `json:"isVisibleInTranscriptOnly,omitempty"`

	Compaction *boundary       `json:"compactMetadata,omitempty"`
	Result     json.RawMessage `json:"toolUseResult,omitempty"`
	Source     string          `json:"sourceToolAssistantUUID,omitempty"`

	ID         string `json:"uuid"`
	Time       string `json:"timestamp"`
	User       string `json:"userType"`
	Entrypoint string `json:"entrypoint"`
	Dir        string `json:"cwd"`
	Session    string `json:"sessionId"`
	From       mark   `json:"ctxledger"`
}

// mark is our own member of a record: the session that has the record counts it, this one does not.
type mark struct {
	Continues string `json:"continues"` // our id of that session
}

// boundary is what Claude Code says of a compaction.
type boundary struct {
	Trigger string `json:"trigger"`
	Before  int    `json:"preTokens"`
}

// said is a message in Anthropic's format. Usage is left out: the session that it was copied from counts it.
type said struct {
	ID      string  `json:"id,omitempty"`
	Type    string  `json:"type,omitempty"`
	Role    string  `json:"role"`
	Model   string  `json:"model,omitempty"`
	Content any     `json:"content"`
	Stop    string  `json:"stop_reason,omitempty"`
	Usage   *usages `json:"usage,omitempty"`
}

// usages is a usage of nothing, which Claude Code expects with each answer.
type usages struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
}

// customTitle is the record that names a session.
type customTitle struct {
	Type    string `json:"type"`
	Title   string `json:"customTitle"`
	Session string `json:"sessionId"`
}

// writer writes one session file.
type writer struct {
	c      *sessionfile.Continuation
	from   mark
	out    bytes.Buffer
	last   *string           // id of the newest record of the chain
	model  string            // of the newest answer
	asked  map[string]string // ids of the records that made the calls, by call
	failed error
}

// file writes all records.
func (w *writer) file() ([]byte, error) {
	w.asked = map[string]string{}
	at := w.c.At
	if len(w.c.Steps) > 0 && !w.c.Steps[0].Time.IsZero() {
		at = w.c.Steps[0].Time
	}
	w.add(at, record{Type: "system", Subtype: "compact_boundary", Content: "Conversation compacted", Level: "info",
		Compaction: &boundary{"manual", w.c.Before}})
	w.add(at, record{Type: typeUser, Summary: true, Hidden: true, Message: said{Role: typeUser, Content: w.c.Document}})
	for _, s := range w.c.Steps {
		w.step(s)
	}
	w.line(customTitle{"custom-title", w.c.Title, w.c.ID})
	return w.out.Bytes(), w.failed
}

// step writes one message.
func (w *writer) step(s sessionfile.Step) {
	if s.Line != nil {
		w.copy(s.Line)
		return
	}
	r := record{Type: typeUser, Meta: s.Loaded}
	m := said{Role: typeUser, Content: contents(s.Blocks)}
	switch s.Role {
	case transcript.RoleAssistant:
		r.Type, m.Role, m.Type = typeAssistant, typeAssistant, "message"
		m.ID, m.Model, m.Usage = s.Reply, cmp.Or(s.Model, w.model, synthetic), &usages{}
		if m.ID == "" {
			m.ID = "msg_" + w.c.NewID()
		}
		w.model = m.Model
		m.Stop = "end_turn"
		if s.Blocks[len(s.Blocks)-1].Kind == transcript.KindCall {
			m.Stop = "tool_use"
		}
	case transcript.RoleTool:
		r.Result, r.Source = s.Keeps, w.asked[s.Blocks[0].ID]
	}
	r.Message = m
	at := s.Time
	if at.IsZero() {
		at = w.c.At
	}
	id := w.add(at, r)
	for _, b := range s.Blocks {
		if b.Kind == transcript.KindCall {
			w.asked[b.ID] = id
		}
	}
}

// add writes a record behind the newest one, and returns its id.
func (w *writer) add(at time.Time, r record) string {
	r.Parent, r.ID, r.Time = w.last, w.c.NewID(), at.UTC().Format("2006-01-02T15:04:05.000Z")
	r.User, r.Entrypoint, r.Dir, r.Session, r.From = "external", "cli", w.c.Dir, w.c.ID, w.from
	w.line(r)
	w.last = &r.ID
	return r.ID
}

// copy writes a record of the old session behind the newest one. Claude Code makes of it what it sends to the model.
func (w *writer) copy(record json.RawMessage) {
	all := map[string]json.RawMessage{}
	w.failed = cmp.Or(w.failed, json.Unmarshal(record, &all))
	id := w.c.NewID()
	for name, value := range map[string]any{"parentUuid": w.last, "uuid": id, "sessionId": w.c.ID, "cwd": w.c.Dir,
		"ctxledger": w.from} {
		raw, err := json.Marshal(value)
		all[name], w.failed = raw, cmp.Or(w.failed, err)
	}
	w.line(all)
	w.last = &id
}

// line writes a line.
func (w *writer) line(v any) {
	enc := json.NewEncoder(&w.out)
	enc.SetEscapeHTML(false)
	w.failed = cmp.Or(w.failed, enc.Encode(v))
}

// contents returns the blocks of a message in Anthropic's format.
func contents(blocks []sessionfile.Block) (out []any) {
	for _, b := range blocks {
		out = append(out, content(b))
	}
	return out
}

// text is a block of words.
type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// toolUse is a block that calls a tool.
type toolUse struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// toolResult is a block with the result of a call.
type toolResult struct {
	ID      string `json:"tool_use_id"`
	Type    string `json:"type"`
	Content string `json:"content"`
	Failed  bool   `json:"is_error,omitempty"`
}

// content returns a block: as it was received, if it was in this format.
func content(b sessionfile.Block) any {
	switch {
	case b.Wire != nil:
		return b.Wire
	case b.Kind == transcript.KindCall:
		return called(b.Part)
	case b.Kind == transcript.KindResult:
		return toolResult{b.ID, "tool_result", b.Text, b.IsError}
	case b.Kind == transcript.KindText:
		return text{"text", b.Text}
	}
	return text{"text", "[ctxledger: " + string(b.Kind) + " left out: it was not written for this agent]"}
}

// called returns a call of another agent: a command as one of Bash, which Claude Code has, anything else by its name.
func called(p transcript.Part) toolUse {
	if m := intents.Classify(p.Name, p.Args); m.Op == intents.OpShell && m.Command != "" {
		if input, err := json.Marshal(map[string]string{"command": m.Command}); err == nil {
			return toolUse{"tool_use", p.ID, "Bash", input}
		}
	}
	return toolUse{"tool_use", p.ID, toolName(p.Name), p.Args}
}

// maxToolName is how long the name of a tool may be, in characters.
const maxToolName = 64

// toolName returns a name that providers take: other agents use signs that they refuse.
func toolName(name string) string {
	out := []byte(name)
	for i, c := range out {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-') {
			out[i] = '_'
		}
	}
	if len(out) == 0 {
		return "unknown"
	}
	return string(out[:min(len(out), maxToolName)])
}
