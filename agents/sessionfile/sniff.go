package sessionfile

import (
	"bytes"
	"encoding/json"
)

// fields are the members of a JSON object that detection needs: each key with its value when
// that is a string, and the keys of "message" as "message.key".
type fields map[string]string

func (f fields) has(key string) bool {
	_, ok := f[key]
	return ok
}

// sniff collects the fields of the object at the beginning of text, as far as it goes: text may
// be cut off or damaged anywhere.
func sniff(text []byte) fields {
	f := fields{}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err == nil && t == json.Delim('{') {
		f.members(d, "")
	}
	return f
}

// members adds the members of the object that d has just entered. It reports whether the object
// was complete.
func (f fields) members(d *json.Decoder, prefix string) bool {
	for {
		key, err := d.Token()
		if err != nil {
			return false
		}
		name, ok := key.(string)
		if !ok {
			return true // the closing brace
		}
		value, err := d.Token()
		if err != nil {
			f[prefix+name] = ""
			return false
		}
		text, _ := value.(string)
		f[prefix+name] = text
		switch {
		case value == json.Delim('{') && prefix == "" && name == "message":
			ok = f.members(d, "message.")
		case value == json.Delim('{') || value == json.Delim('['):
			ok = skip(d)
		}
		if !ok {
			return false
		}
	}
}

// skip reads to the end of the object or array that d has just entered, and reports whether
// there is one.
func skip(d *json.Decoder) bool {
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			return false
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return true
}
