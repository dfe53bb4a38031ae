package proxy

import (
	"bytes"
	"slices"
	"strings"

	"ctxledger.dev/internal/jsonspan"
)

// readBack is our tool that reads what a stub stands for.
const readBack = "read_artifact"

// draft is the body of a request, taken apart as far as making it smaller needs.
type draft struct {
	body  []byte
	model string
	spans []jsonspan.Span // of the messages
	// readable says that the model can read back what a stub stands for.
	readable bool
}

// draftOf takes a body apart; ok is false if it is none with messages.
func draftOf(body []byte) (d draft, ok bool) {
	d.body = body
	w := jsonspan.New(body, jsonspan.MaxDepth)
	if w.Peek() != '{' {
		return d, false
	}
	for name := range w.Inside {
		switch key := jsonspan.Unquote(name.In(body)); {
		case key == "messages" && w.Peek() == '[':
			d.spans = d.spans[:0]
			for span := range w.Elements {
				d.spans = append(d.spans, span)
			}
		case key == "tools" && w.Peek() == '[':
			d.readable = false
			for tool := range w.Elements {
				raw := tool.In(body)
				name := member(raw, "name")
				d.readable = d.readable || strings.Contains(name, "ctxledger") && strings.HasSuffix(name, readBack) &&
					string(inside(raw, "defer_loading")) != "true" // the model would have to look for it
			}
		case key == "model" && w.Peek() == '"':
			d.model = jsonspan.Unquote(w.Value().In(body))
		}
	}
	return d, w.End() == nil && len(d.spans) > 0
}

// replaced returns the body with other messages.
func (d draft) replaced(messages [][]byte) []byte {
	from, to := d.spans[0].From, d.spans[len(d.spans)-1].To
	return slices.Concat(d.body[:from], bytes.Join(messages, []byte(",")), d.body[to:])
}

// with returns the body with other messages: those of out that are not nil, and others instead of those from first on before
// kept.
func (d draft) with(out [][]byte, instead []byte, first, kept int) []byte {
	var b bytes.Buffer
	b.Grow(len(d.body))
	at := 0
	replace := func(from, to int, by []byte) {
		b.Write(d.body[at:from])
		b.Write(by)
		at = to
	}
	for i, span := range d.spans {
		switch {
		case i == first && first < kept:
			replace(span.From, d.spans[kept-1].To, instead)
		case i > first && i < kept:
		case out[i] != nil:
			replace(span.From, span.To, out[i])
		}
	}
	b.Write(d.body[at:])
	return b.Bytes()
}
