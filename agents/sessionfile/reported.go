package sessionfile

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/jsonspan"
)

const (
	// maxCounter bounds the name of a counter that is kept, in bytes, and maxCounters how many of an answer are.
	maxCounter  = 100
	maxCounters = 8
	// maxCount bounds a believable count of one answer, so that sums cannot overflow.
	maxCount = 1 << 40
)

// Reported reads an object in which a provider reports what it measured, and objects in it. Members go by their path:
// "server_tool_use.web_search_requests". What counts has for one is where its number goes; nil for parts and sums of
// others. Words are asked about all others, and report whether they know them. Reported returns the paths of positive
// numbers that neither knows, and of counts that cannot be read.
func Reported(
	raw []byte, counts map[string]*int64, words func(path, value []byte) (known bool),
) (counters []string) {
	return reported(raw, nil, counts, words, nil)
}

func reported(
	raw, above []byte, counts map[string]*int64, words func(path, value []byte) (known bool), counters []string,
) []string {
	w := jsonspan.New(raw, jsonspan.MaxDepth)
	if w.Peek() != '{' {
		return counters
	}
	for name, v := range w.Members {
		path, value := raw[name.From+1:name.To-1], v.In(raw)
		if above != nil {
			path = slices.Concat(above, []byte("."), path)
		}
		into, counted := counts[string(path)]
		if counted {
			if into == nil || string(value) == "null" { // which says nothing
				continue
			}
			if n, ok := Count(value); ok {
				*into = n
				continue
			}
		}
		switch {
		case !counted && words(path, value):
		case !counted && value[0] == '{' && above == nil: // no deeper
			counters = reported(value, path, counts, words, counters)
		case !counted && !positive(value) || len(path) > maxCounter || slices.Contains(counters, string(path)):
		case len(counters) < maxCounters:
			counters = append(counters, string(path))
		}
	}
	return counters
}

// positive reports whether a value is a number above 0, of any size.
func positive(value []byte) bool {
	n, _ := strconv.ParseFloat(string(value), 64) // beyond all bounds it is infinite, for no number 0
	return n > 0
}

// Count reads a whole number in any of its spellings: 1000, 1000.0, 1e3 and "1000". It reports whether the value is such
// a number, not negative and small enough to be one of tokens.
func Count(value []byte) (n int64, ok bool) {
	const usual = 12 // digits that are below maxCount
	for i := 0; i < len(value) && '0' <= value[i] && value[i] <= '9' && len(value) <= usual; i++ {
		if n = 10*n + int64(value[i]-'0'); i == len(value)-1 {
			return n, true
		}
	}
	text := string(value)
	if digits := strings.Trim(text, "\""); len(digits) == len(text)-2 && strings.Trim(digits, "0123456789") == "" {
		text = digits
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x < 0 || x > maxCount || x != math.Trunc(x) {
		return 0, false
	}
	return int64(x), true
}
