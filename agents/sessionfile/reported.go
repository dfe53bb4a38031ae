package sessionfile

import (
	"slices"
	"strconv"

	"ctxledger.dev/internal/jsonspan"
)

const (
	// maxCounter bounds the name of a counter that is kept, in bytes, and maxCounters how many of an answer are.
	maxCounter  = 100
	maxCounters = 8
	// reportDepth is how deep a provider's report is read: its own members, and those of objects in it.
	reportDepth = 2
)

// Reported calls take with the members of an object in which a provider reports what it measured, and with those of
// objects in it, by their path: "server_tool_use.web_search_requests". It returns the paths of positive numbers that take
// does not know.
func Reported(raw []byte, take func(path string, value []byte) (known bool)) (counters []string) {
	var read func(raw []byte, at string, depth int)
	read = func(raw []byte, at string, depth int) {
		w := jsonspan.New(raw, jsonspan.MaxDepth)
		if w.Peek() != '{' {
			return
		}
		for name, v := range w.Members {
			path, value := at+string(raw[name.From+1:name.To-1]), v.In(raw)
			if take(path, value) {
				continue
			}
			if value[0] == '{' && depth < reportDepth {
				read(value, path+".", depth+1)
			}
			n, err := strconv.ParseFloat(string(value), 64)
			if err != nil || n <= 0 || len(path) > maxCounter || slices.Contains(counters, path) {
				continue
			}
			if len(counters) < maxCounters {
				counters = append(counters, path)
			}
		}
	}
	read(raw, "", 1)
	return counters
}
