package transcript

import (
	"strconv"
	"strings"
)

// Gemini's calls and results may have no ids, and those of chat completions had none before there were
// tools. Then the nth result of a function answers the nth call of
// it in the content before, and both get the same id, "#n name". Within a session such an id comes again
// and again; what keeps it apart is the entry that makes the call: "#n@entry name".

// derivedID is the id of the nth call of a function, from 1, in its message.
func derivedID(name string, n int) string { return "#" + strconv.Itoa(n) + " " + name }

// Derived splits an id that encodes a position: that of the nth call of a function in its message.
func Derived(id string) (name string, n int, derived bool) {
	number, name, found := strings.Cut(id, " ")
	if !found || !strings.HasPrefix(number, "#") {
		return "", 0, false
	}
	number, entry, placed := strings.Cut(number[1:], "@")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || placed && !allDigits(entry) || !allDigits(number) {
		return "", 0, false
	}
	return name, n, true
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// PlacedID is the id under which a session knows the nth call of a function that the entry seq makes.
func PlacedID(name string, n int, seq int64) string {
	return "#" + strconv.Itoa(n) + "@" + strconv.FormatInt(seq, 10) + " " + name
}

// Unplaced returns the id under which a message by itself knows a call or a result: it does not know in which entry it is.
func Unplaced(id string) string {
	if name, n, derived := Derived(id); derived {
		return derivedID(name, n)
	}
	return id
}

// Identify gives the calls and results of a message the ids under which a session knows them: those of
// its calls in their order, then those of its results. Anything but one for each changes nothing.
func Identify(m *Message, ids []string) {
	var at []*string
	for _, kind := range []Kind{KindCall, KindResult} {
		for i := range m.Parts {
			if p := &m.Parts[i]; p.Kind == kind && !p.Sealed {
				at = append(at, &p.ID)
			}
		}
	}
	if len(at) != len(ids) {
		return
	}
	for i, id := range at {
		*id = ids[i]
	}
}
