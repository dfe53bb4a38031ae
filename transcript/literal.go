package transcript

import (
	"bytes"
	"encoding/json"
)

// quote returns a JSON string literal, without the escapes that only HTML needs.
func quote(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string into memory: cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
