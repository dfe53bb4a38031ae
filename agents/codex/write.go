package codex

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"time"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/transcript"
)

// Writer returns what writes rollouts of Codex.
func Writer() sessionfile.Writer {
	return sessionfile.Writer{
		Agent: Name,
		Base:  ConfigDir,
		Path: func(c *sessionfile.Continuation) string {
			at := c.At.UTC()
			name := "rollout-" + at.Format("2006-01-02T15-04-05") + "-" + c.ID + ".jsonl"
			return path.Join("sessions", at.Format("2006/01/02"), name)
		},
		Encode: func(c *sessionfile.Continuation) ([]byte, error) {
			w := writer{c: c}
			return w.file()
		},
		Resume: func(id string) []string { return []string{"codex", "resume", id} },
	}
}

// ConfigDir returns the directory where Codex keeps everything of one user.
func ConfigDir(e env.Env) string {
	return cmp.Or(e.Lookup("CODEX_HOME"), filepath.Join(e.Home, ".codex"))
}

// version is the version of Codex that was seen to load these rollouts.
const version = "0.169.0"

// line is a line of a rollout.
type line struct {
	Time    string `json:"timestamp"`
	Type    string `json:"type"`
	Payload any    `json:"payload"`
	From    mark   `json:"ctxledger"`
}

// meta is the first line's payload. Codex refuses a rollout in which one of these is missing.
type meta struct {
	ID         string `json:"id"`
	Time       string `json:"timestamp"`
	Dir        string `json:"cwd"`
	Originator string `json:"originator"`
	Version    string `json:"cli_version"`
	Source     string `json:"source"`
}

// markName is our own member of a line, which Codex ignores.
const markName = "ctxledger"

// mark says which session a line was copied from: that one counts it, this one does not.
type mark struct {
	Continues string `json:"continues"`         // our id of that session
	Summary   bool   `json:"summary,omitempty"` // the line is the document of what came before
	Loaded    bool   `json:"loaded,omitempty"`  // the line is a message that the old session's agent put there
}

// event is what people see.
type event struct {
	Type    string `json:"type"`
	Turn    string `json:"turn_id,omitempty"`
	Message string `json:"message,omitempty"`
}

// userEvent is a message of the user as people see it. Its lists have to be there.
type userEvent struct {
	Type     string   `json:"type"`
	Message  string   `json:"message"`
	Images   []string `json:"images"`
	Local    []string `json:"local_images"`
	Elements []string `json:"text_elements"`
}

// message is a message as the model sees it.
type message struct {
	Type    string    `json:"type"`
	Role    string    `json:"role"`
	Content []content `json:"content"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// call is a call of a tool: one with arguments, or one that takes a text.
type call struct {
	Type      string `json:"type"`
	Name      string `json:"name"`
	Arguments string `json:"arguments,omitempty"`
	Input     string `json:"input,omitempty"`
	ID        string `json:"call_id"`
}

// output is the result of a call.
type output struct {
	Type   string `json:"type"`
	ID     string `json:"call_id"`
	Output string `json:"output"`
}

// writer writes one rollout.
type writer struct {
	c      *sessionfile.Continuation
	out    bytes.Buffer
	at     time.Time
	from   mark
	calls  map[string]string // type of the output that a call wants, by its id; "": it was written as text
	failed error
}

// file writes all lines.
func (w *writer) file() ([]byte, error) {
	w.calls, w.at = map[string]string{}, w.c.At
	w.from = mark{Continues: w.c.Origin.Session}
	w.line(typeMeta, meta{w.c.ID, stamp(w.c.At), w.c.Dir, "codex_cli_rs", version, "cli"})
	turn := w.c.NewID()
	w.line(typeEvent, event{Type: "task_started", Turn: turn})
	w.shown(w.c.Title)
	w.from.Summary = true
	w.said("user", w.c.Document)
	w.from.Summary = false
	for _, s := range w.c.Steps {
		if !s.Time.IsZero() {
			w.at = s.Time
		}
		w.step(s)
	}
	w.line(typeEvent, event{Type: "task_complete", Turn: turn})
	return w.out.Bytes(), w.failed
}

// step writes one message: its words and its calls, or a result.
func (w *writer) step(s sessionfile.Step) {
	w.from.Loaded = s.Loaded
	for _, b := range s.Blocks {
		switch {
		case b.Kind == transcript.KindResult:
			w.result(b)
		case b.Kind == transcript.KindCall:
			w.call(b)
		default:
			w.words(s.Role, b)
		}
	}
}

// words writes what somebody said, for the model and for people.
func (w *writer) words(role transcript.Role, b sessionfile.Block) {
	text := b.Text
	if b.Kind != transcript.KindText {
		text = fmt.Sprintf("[ctxledger: %s left out: it was not written for this agent]", b.Kind)
	}
	if role == transcript.RoleAssistant {
		w.line(typeEvent, event{Type: "agent_message", Message: text})
		w.said("assistant", text)
		return
	}
	if !w.from.Loaded {
		w.shown(text)
	}
	w.said("user", text)
}

// call writes a call, as one of a tool that Codex has or as text.
func (w *writer) call(b sessionfile.Block) {
	t, ok := toolOf(b.Part)
	if !ok {
		w.calls[b.ID] = ""
		w.said("assistant", fmt.Sprintf("[call to another agent's tool %s: %s]", b.Name, b.Args))
		return
	}
	if t.input != "" {
		w.calls[b.ID] = "custom_tool_call_output"
		w.line(typeItem, call{Type: "custom_tool_call", Name: t.name, Input: t.input, ID: b.ID})
		return
	}
	w.calls[b.ID] = "function_call_output"
	w.line(typeItem, call{Type: "function_call", Name: t.name, Arguments: t.arguments, ID: b.ID})
}

// result writes the result of a call. The result of one that is text is text of the user's side, labelled as data.
func (w *writer) result(b sessionfile.Block) {
	text := b.Text
	if b.Media > 0 {
		text += fmt.Sprintf("\n[ctxledger: images left out: %d]", b.Media)
	}
	if kind := w.calls[b.ID]; kind != "" {
		w.line(typeItem, output{kind, b.ID, text})
		return
	}
	w.said("user", fmt.Sprintf("[result from another agent's tool %s; data, not the user's words]\n%s", b.Name, text))
}

// said writes a message for the model.
func (w *writer) said(role, text string) {
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	w.line(typeItem, message{"message", role, []content{{kind, text}}})
}

// shown writes a message of the user for people.
func (w *writer) shown(text string) {
	w.line(typeEvent, userEvent{"user_message", text, []string{}, []string{}, []string{}})
}

// line writes a line.
func (w *writer) line(kind string, payload any) {
	enc := json.NewEncoder(&w.out)
	enc.SetEscapeHTML(false)
	w.failed = cmp.Or(w.failed, enc.Encode(line{stamp(w.at), kind, payload, w.from}))
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
