package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"
)

const (
	// minCached is the length in bytes from which caching an answer's text pays.
	minCached = 2 << 10
	// maxCached is the maximum number of cached values; the library encodes further ones. It is twice what all
	// workers need, each with a text and a structured value.
	maxCached = 4 * workers
)

// answerCache holds encoded values until they are written. The MCP library would parse and copy each of them again:
// it encodes a short name instead, which the wire replaces by the value. Names contain a secret of this process, so
// that no text can forge one.
type answerCache struct {
	prefix []byte // of the names, as encoded in a line

	mu     sync.Mutex
	last   int               // guarded by mu; the newest number
	values map[string][]byte // guarded by mu; by name
}

// newAnswerCache returns an empty cache whose names contain secret.
func newAnswerCache(secret string) *answerCache {
	return &answerCache{prefix: []byte(`"answer-` + secret + `-`), values: map[string][]byte{}}
}

// put encodes and caches a value. It returns the value's name for the library to encode, or the value itself if the
// cache is full or the value cannot be encoded.
func (s *answerCache) put(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return v // the library reports the error
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

// fill returns a line with names replaced by their values, which it removes from the cache.
func (s *answerCache) fill(line []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.values) == 0 {
		return line
	}
	size := len(line)
	for _, raw := range s.values {
		size += len(raw) // an upper bound: some belong to other lines
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
