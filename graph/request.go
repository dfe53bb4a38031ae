package graph

import (
	"slices"
	"strings"

	"ctxledger.dev/transcript"
)

// defaultSystem is the system prompt of a document without system blocks.
const defaultSystem = "You are a helpful AI assistant. Provide clear, accurate, and helpful responses."

// Source says where a message comes from.
type Source string

// The sources of messages.
const (
	FromSystem  Source = "system"
	FromBlock   Source = "block"   // selected
	FromAmbient Source = "ambient" // before the operation
	FromPrompt  Source = "prompt"
)

// Message is one message of a request.
type Message struct {
	Role  transcript.Role `json:"role"`
	From  Source          `json:"from"`
	Block *Block          `json:"-"` // whose text it is; nil: none
	URI   string          `json:"block,omitempty"`
	Text  string          `json:"text"`
}

// Part says in words which part of a request it is: "system", "block goal", "text before it, block intro", "prompt".
func (m Message) Part() string {
	switch {
	case m.From == FromAmbient && m.URI == "":
		return "text before it"
	case m.From == FromAmbient:
		return "text before it, block " + m.URI
	}
	return strings.TrimSpace(string(m.From) + " " + m.URI)
}

// Head says in a line whose message it is: "system prompt", "user: block goal", "user: text before it, block intro", "user: prompt".
func (m Message) Head() string {
	if m.From == FromSystem {
		return "system prompt"
	}
	return string(m.Role) + ": " + m.Part()
}

// Request returns what an operation sends if its document is as it is now: of @llm all messages for the model, of @run and @return what is
// handed on. Others send nothing. References that lead nowhere are left out, and blocks that an operation before it replaces: see
// Cost.Open.
func (d *Document) Request(o *Operation) []Message {
	out := []Message{}
	switch {
	case !d.runs(o):
		return out
	case o.Name == "llm":
		out = append(out, Message{Role: transcript.RoleSystem, From: FromSystem, Text: d.SystemPrompt()})
	case o.Name != "run" && o.Name != "return":
		return out
	}
	switch {
	case o.field("block") != nil:
		out = append(out, d.chosen(o)...)
	case o.sendsAmbient():
		for _, b := range d.ambient(o) {
			m := d.message(b, FromAmbient)
			m.Text = d.above(b, o.At.From)
			out = append(out, m)
		}
	}
	if prompt := strings.TrimRight(o.text("prompt"), "\n"); prompt != "" {
		out = append(out, Message{Role: transcript.RoleUser, From: FromPrompt, Text: prompt})
	}
	return out
}

// runs reports whether an operation may run, as far as that is known.
func (d *Document) runs(o *Operation) bool { return !o.own.idle && !d.grows().dead[o.Index] }

// lacks reports whether an operation has none of the parameters that it needs; an empty text is none.
func (o *Operation) lacks() bool {
	needs := operations[o.Name].needs
	return len(o.findings) == 0 && len(needs) > 0 && !slices.ContainsFunc(needs, func(key string) bool {
		f := o.field(key)
		if f == nil || key == "block" || strings.TrimSpace(f.text()) != "" {
			return f != nil
		}
		var text string
		return f.yaml.Decode(&text) != nil // a list, which is no text at all
	})
}

// sendsAmbient reports whether an operation sends the text before it.
func (o *Operation) sendsAmbient() bool {
	return o.Name == "llm" && o.field("block") == nil && o.text("context") != "none"
}

// chosen returns the messages of the blocks to which an operation refers: one for each, in Fractalic one of all.
func (d *Document) chosen(o *Operation) (out []Message) {
	for _, b := range d.selected(o) {
		out = append(out, d.message(b, FromBlock))
	}
	if !d.fractalic() || o.Name != "llm" || len(out) < 2 {
		return out
	}
	uris, texts := make([]string, len(out)), make([]string, len(out))
	for i, m := range out {
		uris[i], texts[i] = m.URI, m.Text
	}
	return []Message{{Role: transcript.RoleUser, From: FromBlock, URI: strings.Join(uris, ", "),
		Text: joined(texts, "\n\n")}}
}

func (d *Document) message(b *Block, from Source) Message {
	m := Message{Role: transcript.RoleUser, From: from, Block: b, Text: d.Text(b)}
	if b.Level > 0 {
		m.URI = b.URI()
	}
	return m
}

// SystemPrompt returns the system blocks, or the default.
func (d *Document) SystemPrompt() string {
	var out []string
	for _, b := range d.systems {
		out = append(out, d.Text(b))
	}
	if text := joined(out, "\n\n"); text != "" {
		return text
	}
	return defaultSystem
}

// selected returns the blocks to which an operation refers, each once, in the order of the references.
func (d *Document) selected(o *Operation) (out []*Block) {
	seen := map[*Block]bool{}
	matches := d.matches(o, "block")
	for i, r := range o.block {
		x := d.sends(o, r, matches.at(i))
		for _, b := range d.Blocks[x.from:x.to] {
			if !seen[b] && !b.System && !d.replaced(b, o) {
				out = append(out, b)
			}
			seen[b] = true
		}
	}
	return out
}

// Select returns the blocks of a reference, in document order.
func (d *Document) Select(r Reference) (out []*Block) {
	x := extentOf(r, d.Find(r.Path))
	for _, b := range d.Blocks[x.from:x.to] {
		if !b.System {
			out = append(out, b)
		}
	}
	return out
}

// ambient returns the blocks before an operation, and the one in which it stands, that have a text above it.
func (d *Document) ambient(o *Operation) (out []*Block) {
	for _, b := range d.Blocks {
		if b.Own.From > o.At.From {
			break
		}
		if !b.System && !d.replaced(b, o) && d.above(b, o.At.From) != "" {
			out = append(out, b)
		}
	}
	return out
}
