package crashtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/sessions"
)

// facts is what can be said of a part of the ledger, by name. An actor's model and what it observes
// are both put into this form to be compared.
type facts map[string]string

// maxDifferences is how many differences a message names.
const maxDifferences = 6

// differ returns how observed facts differ from the expected ones, "" when they do not.
func (expected facts) differ(observed facts) string {
	var out []string
	names := maps.Clone(expected)
	maps.Copy(names, observed)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		want, known := expected[name]
		got, found := observed[name]
		switch {
		case !found:
			out = append(out, fmt.Sprintf("%s is lost, expected %s", name, want))
		case !known:
			out = append(out, fmt.Sprintf("%s is there, unexpected: %s", name, got))
		case got != want:
			out = append(out, fmt.Sprintf("%s is %s, expected %s", name, got, want))
		}
	}
	if n := len(out); n > maxDifferences {
		out = append(out[:maxDifferences], fmt.Sprintf("and %d more", n-maxDifferences))
	}
	return strings.Join(out, "; ")
}

// digest shortens content to what identifies it.
func digest(content []byte) string { return sessions.Digest(content)[:16] }

// text returns a value as JSON. Values of the API can always be encoded.
func text(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
