package claudecode

import (
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/transcript"
)

// members calls visit with each member of the object that is the whole of b apart from white
// space: the key as written, without its quotes, and where the value is. It reports whether b is
// a valid object; visit may have been called before it turns out not to be one.
func members(b []byte, visit func(key []byte, value transcript.Span)) bool {
	w := jsonspan.New(b, jsonspan.MaxDepth)
	if w.Peek() != '{' {
		return false
	}
	for name, value := range w.Members {
		visit(b[name.From+1:name.To-1], value)
	}
	return w.End() == nil
}

// each calls take with each member of the object ahead: the key as written, without its quotes, and where in text the value is.
func each(w *jsonspan.Walker, text []byte, take func(key, text []byte, value transcript.Span)) {
	for name, value := range w.Members {
		take(text[name.From+1:name.To-1], text, value)
	}
}

// unquote returns the text of a name without its quotes.
func unquote(name []byte) string { return jsonspan.Unquote([]byte(`"` + string(name) + `"`)) }
