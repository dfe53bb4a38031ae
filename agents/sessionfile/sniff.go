package sessionfile

import "ctxledger.dev/internal/jsonspan"

// Fields are the members of a JSON object that detection needs: each key with its value when
// that is a string, and the keys of "message" as "message.key".
type Fields map[string]string

// Has reports whether there is a member of a name.
func (f Fields) Has(key string) bool {
	_, ok := f[key]
	return ok
}

// sniff collects the fields of the object at the beginning of text, as far as it goes: text may
// be cut off or damaged anywhere.
func sniff(text []byte) Fields {
	f := Fields{}
	if w := jsonspan.New(text, jsonspan.MaxDepth); w.Peek() == '{' {
		f.members(w, text, "")
	}
	return f
}

// members adds the members of the object ahead.
func (f Fields) members(w *jsonspan.Walker, text []byte, prefix string) {
	for name := range w.Inside {
		key := prefix + jsonspan.Unquote(name.In(text))
		f[key] = ""
		switch w.Peek() {
		case '"':
			if value := w.Value(); !value.Empty() {
				f[key] = jsonspan.Unquote(value.In(text))
			}
		case '{':
			if key == "message" {
				f.members(w, text, "message.")
			}
		}
	}
}
