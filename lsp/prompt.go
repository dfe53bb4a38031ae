package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/graphfile"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// Prompt is what an operation of a context graph sends.
type Prompt struct {
	Operation string         `json:"operation"` // its name
	Range     protocol.Range `json:"range"`     // of its lines
	Said      string         `json:"said"`      // what is said of it, in lines: tokens, parts, price
	Tokens    tokens.Count   `json:"tokens"`
	Window    int            `json:"window"` // of the model, in tokens; 0: not known
	// Messages are what is sent, in order. Characters that could deceive a reader are shown as escapes.
	Messages []promptMessage `json:"messages"`
	Cut      bool            `json:"cut"` // texts were cut: all together have at most 1 MiB
	// Steps are the operations that send the block at the place, where none is asked there: then the rest is empty.
	Steps []protocol.Range `json:"steps,omitempty"`
}

// promptMessage is one message.
type promptMessage struct {
	Role   string          `json:"role"`
	From   string          `json:"from"`            // system, block, ambient or prompt
	Block  string          `json:"block"`           // its path; "": none
	Range  *protocol.Range `json:"range,omitempty"` // of the block
	Tokens tokens.Count    `json:"tokens"`          // of the whole message
	Text   string          `json:"text"`
}

// maxPrompt is how long the texts of a prompt are together, in bytes.
const maxPrompt = 1 << 20

// prompt is a custom request: what the operation at a place sends, or else the first behind it in its block, for a preview;
// where there is none, which operations send that block. null: none does.
func (s *folder) prompt(_ context.Context, d *document, p *protocol.TextDocumentPositionParams) (*Prompt, error) {
	f, ok := s.graphFile(d)
	if !ok {
		return nil, nil
	}
	offset := d.text.Offset(text.Position(p.Position))
	o := graphfile.Asking(f, offset)
	if o == nil {
		senders := graphfile.Senders(f, offset)
		if len(senders) == 0 {
			return nil, nil
		}
		out := &Prompt{Messages: []promptMessage{}}
		for _, o := range senders {
			out.Steps = append(out.Steps, span(d.text, o.At.From, o.At.To))
		}
		return out, nil
	}
	cost, said := graphfile.Explain(f, o)
	meter := f.MeterOf(o)
	out := &Prompt{Operation: o.Name, Range: span(d.text, o.At.From, o.At.To), Said: plainLines(said),
		Tokens: cost.Said(cost.Total()), Window: meter.Window, Messages: []promptMessage{}}
	left := maxPrompt
	for _, m := range f.Request(o) {
		one := promptMessage{Role: string(m.Role), From: string(m.From), Block: plainLine(m.URI),
			Tokens: meter.Counter.Count(m.Text), Text: chars.Plain(m.Text)}
		if m.Block != nil {
			r := span(d.text, m.Block.Own.From, m.Block.Own.To)
			one.Range = &r
		}
		if len(one.Text) > left {
			one.Text, out.Cut = chars.Head(one.Text[:left], left), true
		}
		left -= len(one.Text)
		out.Messages = append(out.Messages, one)
	}
	return out, nil
}
