package sessions

import "encoding/json"

// Notes is the original of a KindNotes entry: what an agent noted for whoever goes on with its work.
type Notes struct {
	Text string `json:"notes"`
}

// Bytes returns the original.
func (n Notes) Bytes() ([]byte, error) { return json.Marshal(n) }

// NotesOf returns the text of a KindNotes entry, "" if it was forgotten.
func NotesOf(original []byte) string {
	var n Notes
	if json.Unmarshal(original, &n) != nil {
		return ""
	}
	return n.Text
}
