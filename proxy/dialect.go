package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/transcript"
)

// dialect is how one kind of provider writes requests and answers.
type dialect struct {
	name   string
	format transcript.Format
	paths  []string // how the paths of its requests for an answer end
	// plain reads an answer that is one value, and event one event of a stream.
	plain, event func(a *answer, raw []byte)
}

// dialects are those that are recorded; all others pass.
var dialects = []*dialect{
	{"anthropic", transcript.Anthropic, []string{"/messages"}, (*answer).message, (*answer).messageEvent},
	{"chat", transcript.OpenAIChat, []string{"/chat/completions"}, (*answer).completion, (*answer).completion},
	{"responses", transcript.OpenAIResponses, []string{"/responses"}, (*answer).response, (*answer).responseEvent},
	{"gemini", transcript.Gemini, []string{":generateContent", ":streamGenerateContent"},
		(*answer).content, (*answer).content},
}

// dialectOf returns the dialect that is spoken at a path; nil: none.
func dialectOf(path string) *dialect {
	for _, d := range dialects {
		for _, end := range d.paths {
			if strings.HasSuffix(path, end) {
				return d
			}
		}
	}
	return nil
}

// answer is what an answer of a provider says.
type answer struct {
	sessionfile.Answer
	whole bool              // it came to its end
	said  []json.RawMessage // the messages of the model, in the format of the dialect
	wrong json.RawMessage   // the error that came in an answer's place, or ended a stream; nil: none

	blocks []*block // of an answer that is under way
}

// block is a part of an answer that comes in pieces.
type block struct {
	head json.RawMessage // as it began
	text map[string]*strings.Builder
}

// add adds a piece to one of the texts of the block at a place.
func (a *answer) add(at int, name, piece string) {
	const most = 10_000 // parts of one answer
	if piece == "" || at < 0 || at >= most {
		return
	}
	for len(a.blocks) <= at {
		a.blocks = append(a.blocks, &block{text: map[string]*strings.Builder{}})
	}
	b := a.blocks[at]
	if b.text[name] == nil {
		b.text[name] = &strings.Builder{}
	}
	b.text[name].WriteString(piece)
}

// begin begins the block at a place.
func (a *answer) begin(at int, head json.RawMessage) {
	a.add(at, "", " ") // makes the place
	if at >= 0 && at < len(a.blocks) {
		a.blocks[at].head = head
	}
}

// of returns one of the texts of a block.
func (b *block) of(name string) string {
	if b.text[name] == nil {
		return ""
	}
	return b.text[name].String()
}

// say adds a message of the model.
func (a *answer) say(message any) {
	if raw, err := json.Marshal(message); err == nil {
		a.said = append(a.said, raw)
	}
}

// read returns what the body of an answer says, a stream or one value.
func (d *dialect) read(body []byte) answer {
	var a answer
	switch trimmed := bytes.TrimSpace(body); {
	case len(trimmed) == 0:
	case trimmed[0] == '{':
		a.fail(trimmed)
		d.plain(&a, trimmed)
	case trimmed[0] == '[': // Gemini streams an array where no events are asked for
		var all []json.RawMessage
		if json.Unmarshal(trimmed, &all) == nil {
			for _, raw := range all {
				a.fail(raw)
				d.event(&a, raw)
			}
		}
	default:
		for raw := range events(body) {
			a.fail(raw)
			d.event(&a, raw)
		}
	}
	a.finish(d)
	return a
}

// fail takes in an error, in whichever event or answer it comes: {"error":…}, or {"response":{"error":…}}.
func (a *answer) fail(raw []byte) {
	if !bytes.Contains(raw, []byte(`"error"`)) {
		return
	}
	for _, at := range [][]byte{raw, inside(raw, "response")} {
		if e := inside(at, "error"); len(e) > 0 && e[0] == '{' {
			a.wrong = fmt.Appendf(nil, `{"error":%s}`, e)
		}
	}
}

// finish makes messages of the blocks of a stream.
func (a *answer) finish(d *dialect) {
	if len(a.blocks) == 0 {
		return
	}
	switch d.format {
	case transcript.Anthropic:
		a.finishMessage()
	case transcript.OpenAIChat:
		a.finishCompletion()
	case transcript.Gemini:
		a.finishContent()
	}
	a.blocks = nil
}

// events yields the data of the events of a stream: see the HTML standard, section 9.2.6.
func events(body []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var data []byte
		for line := range bytes.Lines(body) {
			line = bytes.TrimRight(line, "\r\n")
			switch field, value, _ := bytes.Cut(line, []byte(":")); {
			case len(line) == 0:
				if len(data) > 0 && !yield(data) {
					return
				}
				data = nil
			case string(field) == "data":
				if value = bytes.TrimPrefix(value, []byte(" ")); data != nil {
					data = append(append(data, '\n'), value...)
				} else {
					data = bytes.Clone(value)
				}
			}
		}
		if len(data) > 0 {
			yield(data)
		}
	}
}
