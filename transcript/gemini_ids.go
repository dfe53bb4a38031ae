package transcript

import (
	"strconv"
	"strings"
)

// Gemini's calls and results may have no ids. Then the nth result of a function answers the nth call of
// it in the content before, and both get the same id, "#n name". Within a session such an id comes again
// and again; what keeps it apart is the entry that makes the call: "#n@seq name".

// derivedID is the id of the nth call of a function, from 1, in its message.
func derivedID(name string, n int) string { return "#" + strconv.Itoa(n) + " " + name }

// IDAt returns the id under which a session knows a call that the entry seq makes: the call's own, or,
// where the format derives ids, one that no other entry gives.
func IDAt(id string, seq int64) string {
	n, name, derived := cutDerived(id)
	if !derived {
		return id
	}
	return "#" + n + "@" + strconv.FormatInt(seq, 10) + " " + name
}

// OwnID returns the id that a message itself gives to the call that a session knows as id.
func OwnID(id string) string {
	if n, name, derived := cutDerived(id); derived {
		return "#" + n + " " + name
	}
	return id
}

// cutDerived takes a derived id apart.
func cutDerived(id string) (n, name string, derived bool) {
	number, name, found := strings.Cut(id, " ")
	if !found || !strings.HasPrefix(number, "#") {
		return "", "", false
	}
	n, seq, placed := strings.Cut(number[1:], "@")
	if !allDigits(n) || placed && !allDigits(seq) {
		return "", "", false
	}
	return n, name, true
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// own returns edits whose calls are named by the ids that the message itself gives them.
func (e Edits) own() Edits {
	e.Results, e.DropCalls, e.KeepResults = ownKeys(e.Results), ownKeys(e.DropCalls), ownKeys(e.KeepResults)
	return e
}

func ownKeys[V any](byID map[string]V) map[string]V {
	if len(byID) == 0 {
		return nil
	}
	out := make(map[string]V, len(byID))
	for id, v := range byID {
		out[OwnID(id)] = v
	}
	return out
}
