package proxy

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
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

// draftOf takes a body apart; ok is false if it is none with messages, or one that goes on from an answer that its provider
// keeps.
func draftOf(body []byte) (d draft, ok bool) {
	d.body = body
	w := jsonspan.New(body, jsonspan.MaxDepth)
	if w.Peek() != '{' {
		return d, false
	}
	for name := range w.Inside {
		switch key := jsonspan.Unquote(name.In(body)); {
		case holds[key] == ledger.ItemMessage && w.Peek() == '[':
			d.spans = d.spans[:0]
			for span := range w.Elements {
				d.spans = append(d.spans, span)
			}
		case key == "tools" && w.Peek() == '[':
			d.readable = false
			for tool := range w.Elements {
				d.readable = d.readable || readsBack(tool.In(body))
			}
		case key == "previous_response_id" && w.Peek() == '"':
			return d, false
		case key == "model" && w.Peek() == '"':
			d.model = jsonspan.Unquote(w.Value().In(body))
		}
	}
	return d, w.End() == nil && len(d.spans) > 0
}

// readsBack reports whether the definition of a tool, or one of those in a namespace, is that of ours. One that is deferred is
// not: the model would have to look for it.
func readsBack(raw []byte) bool {
	if string(inside(raw, "defer_loading")) == "true" {
		return false
	}
	if all := inside(raw, "functionDeclarations"); all != nil {
		return slices.ContainsFunc(elements(all), readsBack)
	}
	name := cmp.Or(member(raw, "name"), member(inside(raw, "function"), "name"))
	if !strings.Contains(name, "ctxledger") {
		return false
	}
	if strings.HasSuffix(name, readBack) {
		return true
	}
	return slices.ContainsFunc(elements(inside(raw, "tools")), func(one []byte) bool {
		return member(one, "name") == readBack && string(inside(one, "defer_loading")) != "true"
	})
}

// begins says how a conversation begins: with the messages before the first answer, and with a call; "": none was made yet.
func (d draft) begins(f transcript.Format) (opening, call string) {
	from, to, answered := d.spans[0].From, 0, false
	for _, span := range d.spans {
		m, _ := transcript.Decode(f, span.In(d.body)) // it may be what no format has
		if answered = answered || m.Role == transcript.RoleAssistant; !answered {
			to = span.To
		}
		for _, p := range m.Parts {
			if p.Kind == transcript.KindCall {
				return sessions.Digest(d.body[from:max(from, to)]), p.ID
			}
		}
	}
	return sessions.Digest(d.body[from:max(from, to)]), ""
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
