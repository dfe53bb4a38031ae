package claudecode

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
)

// A session file has a record of every request, with the hash of its shape, and of each shape once. A shape has the tools
// that the model is offered, whatever made it so: servers, rules, flags, the definition of a subagent.
var (
	requestRecord = []byte(`{"type":"api-request",`)
	shapeRecord   = []byte(`{"type":"api-request-shape",`)
)

// Shapes remembers the tools of the shapes of requests, by their hashes. The zero value is not ready to use. One goroutine
// uses it at a time.
type Shapes map[string][]string

// Offered returns the names of the tools of the newest request that a session file tells of and that offers any (Claude
// Code asks aside, too, for a title, say). nil: the file does not say, or too far from its ends. behind reports whether
// that may be because it is written a moment later than things happen: it does not have the call yet whose result is
// about to be read.
func (s Shapes) Offered(file io.ReaderAt, size int64, call string) (tools []string, behind bool) {
	var hashes []string // of the requests, the newest one first
	behind = true
	for line := range ends(file, size) {
		switch {
		case bytes.HasPrefix(line, requestRecord):
			if r, ok := requestOf(line); ok {
				hashes = append(hashes, r.Hash)
			}
		case bytes.HasPrefix(line, shapeRecord):
			if r, ok := requestOf(line); ok {
				s[r.Hash] = r.names()
			}
		default:
			behind = behind && !bytes.Contains(line, quoted(call))
			continue
		}
		for len(hashes) > 0 {
			found, known := s[hashes[0]]
			if len(found) > 0 {
				return found, false
			}
			if !known {
				break
			}
			hashes = hashes[1:]
		}
	}
	return nil, behind
}

// requestOf reads the record of a request or of its shape; ok is false for a torn one.
func requestOf(line []byte) (r request, ok bool) {
	err := json.Unmarshal(line, &r)
	return r, err == nil && r.Hash != ""
}

// request is what is wanted of the record of a request or of its shape.
type request struct {
	Hash  string `json:"shapeHash"`
	Shape struct {
		Tools []struct{ Name string }
	}
}

// names returns the names of the tools.
func (r request) names() []string {
	out := make([]string, len(r.Shape.Tools))
	for i, t := range r.Shape.Tools {
		out[i] = t.Name
	}
	return out
}

// ends returns the lines at the end of a file, the last one first, and of a long file those of its beginning, where the
// shape of most requests is.
func ends(file io.ReaderAt, size int64) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range backwards(file, size) {
			if !yield(line) {
				return
			}
		}
		if size <= maxBack {
			return
		}
		head := make([]byte, backStep)
		if _, err := file.ReadAt(head, 0); err != nil {
			return // it was cut off meanwhile
		}
		for line := range bytes.Lines(head) {
			if !yield(line) {
				return
			}
		}
	}
}
