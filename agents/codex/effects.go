package codex

import (
	"encoding/json"
	"strings"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// updated begins what apply_patch prints: a line for each file follows.
const updated = "Success. Updated the following files:\n"

// maxPatched bounds the files of one patch.
const maxPatched = 100

// patched returns what a result says of files that a patch changed (0.169.0). Earlier versions put it into a JSON object.
func patched(m transcript.Message) (out []sessions.Effect) {
	text := m.Parts[0].Text
	var old struct{ Output string }
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &old) == nil {
		text = old.Output
	}
	_, list, _ := strings.Cut("\n"+text, "\n"+updated)
	ops := map[string]string{"A ": "created", "M ": "modified", "D ": "deleted"}
	for line := range strings.Lines(list) {
		line = strings.TrimRight(line, "\r\n")
		op, known := ops[line[:min(len(line), 2)]]
		if !known || len(line) > maxPath || len(out) == maxPatched {
			break
		}
		out = append(out, sessions.Effect{Path: strings.Clone(line[2:]), Op: op})
	}
	return out
}
