package artifacts

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"ctxledger.dev/internal/jsonspan"
)

// hintKeys are the arguments that best describe a call, best first.
var hintKeys = []string{"path", "command", "script", "url", "key", "query", "message", "branch"}

// hintValue is how many characters of an argument's value a hint keeps.
const hintValue = 60

// Hint says in one short line what a tool call was about: "key=value" of its most telling
// argument, else of its first one, the value cut to 60 characters. It is "" for arguments that are
// not a JSON object or that are all null.
func Hint(args json.RawMessage) string {
	best, hint := len(hintKeys)+1, ""
	w := jsonspan.New(args, jsonspan.MaxDepth)
	for name, value := range w.Members {
		key := jsonspan.Unquote(name.In(args))
		rank := slices.Index(hintKeys, key)
		if rank < 0 {
			rank = len(hintKeys)
		}
		if v := value.In(args); rank < best && string(v) != "null" {
			best, hint = rank, oneLine(key)+"="+hintText(v)
		}
	}
	if w.Err() != nil {
		return ""
	}
	return hint
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
