package codex

import (
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/transcript"
)

// Bounds of the texts that an entry takes out of a record, in bytes. Longer ones are not what they should be, and are
// left out; the original has them.
const (
	maxID   = 256
	maxPath = 4096 // PATH_MAX of Linux
)

// members calls visit with each member of the object that is the whole of a span of text, apart from white space: its
// name, and where in text the value is. It reports whether there is a valid object; visit may have been called before
// it turns out that there is none.
func members(text []byte, at transcript.Span, visit func(name string, value transcript.Span)) bool {
	if at.Empty() {
		return false
	}
	inner := text[at.From:at.To]
	w := jsonspan.New(inner, jsonspan.MaxDepth)
	if w.Peek() != '{' {
		return false
	}
	for name, value := range w.Members {
		visit(jsonspan.Unquote(inner[name.From:name.To]), transcript.Span{From: value.From + at.From,
			To: value.To + at.From})
	}
	return w.End() == nil
}

// elements returns where the elements of an array are in text, none if it is no whole array.
func elements(text []byte, at transcript.Span) (out []transcript.Span) {
	if at.Empty() {
		return nil
	}
	w := jsonspan.New(at.In(text), jsonspan.MaxDepth)
	if w.Peek() != '[' {
		return nil
	}
	for v := range w.Elements {
		out = append(out, transcript.Span{From: v.From + at.From, To: v.To + at.From})
	}
	if w.End() != nil {
		return nil
	}
	return out
}
