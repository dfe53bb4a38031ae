package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"
)

const (
	// minCached is how long a text is that is worth the way over the shelf, in bytes.
	minCached = 2 << 10
	// maxCached is how many values wait at once; further ones take the library's way. Twice as many as
	// there are workers, each with a text and a structured value.
	maxCached = 4 * workers
)

// shelf keeps encoded values out of the MCP library's hands, which would parse and copy each of them
// again on its way into the line: the library encodes a short name, and the wire puts the value
// in its place. Names hold a random number that nobody outside this process can know.
type answerCache struct {
	prefix []byte // of the names, as they stand in a line

	mu     sync.Mutex
	last   int               // guarded by mu; the newest number
	values map[string][]byte // guarded by mu; by name
}

// newAnswerCache returns an empty shelf whose names hold secret.
func newAnswerCache(secret string) *answerCache {
	return &answerCache{prefix: []byte(`"answer-` + secret + `-`), values: map[string][]byte{}}
}

// put encodes a value, and returns what the library is to encode in its place: a name, or the value
// itself when there is no room or it cannot be encoded.
func (s *answerCache) put(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return v // the library finds the same error
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.values) >= maxCached {
		return v
	}
	s.last++
	name := string(s.prefix[1:]) + strconv.Itoa(s.last)
	s.values[name] = raw
	return name
}

// fill returns a line with the values in the place of their names.
func (s *answerCache) fill(line []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.values) == 0 {
		return line
	}
	size := len(line)
	for _, raw := range s.values {
		size += len(raw) // of other lines, too, where several are written
	}
	out := make([]byte, 0, size)
	for rest := line; ; {
		at := bytes.Index(rest, s.prefix)
		if at < 0 {
			return append(out, rest...)
		}
		end := at + 1 + bytes.IndexByte(rest[at+1:], '"')
		name := string(rest[at+1 : end])
		out = append(append(out, rest[:at]...), s.values[name]...)
		delete(s.values, name)
		rest = rest[end+1:]
	}
}
