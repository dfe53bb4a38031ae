package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// recorded is the session file, read without any code of ctxledger: what the programs answer is
// compared with it.
type recorded struct {
	path    string // absolute: the programs run elsewhere
	raw     []byte
	lines   int
	calls   int               // tool calls
	results map[string]string // text of tool results, by the id of the call
}

// record is what the demo reads of a line of the file.
type record struct {
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// block is one part of a message.
type block struct {
	Type    string          `json:"type"`
	Call    string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
}

// readRecording reads a session file whole.
func readRecording(path string) (recorded, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return recorded{}, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return recorded{}, err
	}
	r := recorded{path: path, raw: raw, results: map[string]string{}}
	for line := range bytes.Lines(raw) {
		r.lines++
		var rec record
		if err := json.Unmarshal(line, &rec); err != nil {
			return r, fmt.Errorf("%s, line %d: %w", path, r.lines, err)
		}
		var blocks []block
		if json.Unmarshal(rec.Message.Content, &blocks) != nil {
			continue // a plain text, or no message at all
		}
		for _, b := range blocks {
			r.take(b)
		}
	}
	return r, nil
}

// take notes what the demo needs of one part of a message.
func (r *recorded) take(b block) {
	switch b.Type {
	case "tool_use":
		r.calls++
	case "tool_result":
		var text string
		if json.Unmarshal(b.Content, &text) == nil {
			r.results[b.Call] = text
		}
	}
}

// find says which lines of the file a piece of it is: first and last, from 1. The piece has to be
// whole lines, byte for byte.
func (r *recorded) find(piece []byte) (first, last int, ok bool) {
	at := bytes.Index(r.raw, piece)
	if len(piece) == 0 || at < 0 || piece[len(piece)-1] != '\n' || at > 0 && r.raw[at-1] != '\n' {
		return 0, 0, false
	}
	before := bytes.Count(r.raw[:at], []byte("\n"))
	return before + 1, before + bytes.Count(piece, []byte("\n")), true
}
