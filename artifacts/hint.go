package artifacts

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// hintKeys are the arguments that tell best what a call was about, best first.
var hintKeys = []string{"path", "command", "script", "url", "key", "query", "message", "branch"}

// hintValue is how many characters of an argument's value a hint keeps.
const hintValue = 60

// Hint says in one short line what a tool call was about: "key=value" of its most telling
// argument, else of its first one, the value cut to 60 characters. It is "" for arguments that are
// not a JSON object or that are all null.
func Hint(args json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(args))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	best, hint := len(hintKeys)+1, ""
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return ""
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return ""
		}
		if rank := hintRank(key); rank < best && string(value) != "null" {
			best, hint = rank, oneLine(key.(string))+"="+hintText(value) // the key of an object is a string
		}
	}
	return hint
}

// hintRank returns how telling an argument is: lower is better.
func hintRank(key json.Token) int {
	for i, k := range hintKeys {
		if key == k {
			return i
		}
	}
	return len(hintKeys)
}

// hintText prints an argument's value: a string as it is, anything else as compact JSON.
func hintText(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		var b bytes.Buffer
		if json.Compact(&b, value) != nil {
			return ""
		}
		s = b.String()
	}
	return prefix(oneLine(prefix(s, 4*hintValue)), hintValue) // cut first: it may be a whole file
}

// isCommand reports whether a hint is that of a command, whose output says most at its end.
func isCommand(hint string) bool {
	key, _, _ := strings.Cut(hint, "=")
	return slices.Contains([]string{"command", "script"}, key)
}
