package transcript

import "ctxledger.dev/internal/jsonspan"

// MapStrings returns a JSON value with replaced strings: f is called for every string at any depth that is not the
// name of a member, and returns its replacement and whether there is one. Everything else stays byte for byte.
// Invalid: src is not one JSON value.
func MapStrings(src []byte, f func(s string) (string, bool)) ([]byte, error) {
	var splices []splice
	w := jsonspan.New(src, maxDepth)
	mapStrings(w, func(at Span) {
		if text, changed := f(textAt(src, at)); changed {
			splices = append(splices, splice{at, quote(text)})
		}
	})
	if err := w.End(); err != nil {
		return nil, syntax(err)
	}
	return apply(src, splices), nil
}

// mapStrings calls f for every string of the value ahead that is not the name of a member.
func mapStrings(w *jsonspan.Walker, f func(at Span)) {
	switch w.Peek() {
	case '"':
		if at := w.Value(); !at.Empty() {
			f(at)
		}
	case '{', '[':
		for range w.Inside {
			mapStrings(w, f)
		}
	default:
		w.Value()
	}
}
