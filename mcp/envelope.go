package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/internal/limits"
)

// Codes of JSON-RPC.
const (
	codeParse    = -32700 // not JSON
	codeRequest  = -32600 // JSON, but not a request
	codeParams   = -32602 // a request whose params are wrong
	codeInternal = -32603 // a defect of ours
)

// Bounds of a message's envelope. The content of params has its own.
const (
	maxDepth  = 600     // nesting; one more than what a conversation's message may have, and its frame
	maxMethod = 200     // bytes of a method's name
	maxID     = 1000    // bytes of an id
	maxNumber = 1 << 53 // beyond it the MCP library would answer with another id
)

// message is a line, and what its envelope says.
type message struct {
	line   []byte          // nil: the MCP library does not get it
	id     json.RawMessage // as received; nil for a notification
	method string          // "" for an answer
	answer bool            // to a request of the server
	params json.RawMessage // nil: none, or the line was refused before
}

// refusal is the answer to a rejected line.
type refusal struct {
	id   json.RawMessage // nil: unknown or invalid
	code int
	text string
}

// envelopeKeys and paramKeys are the names that the MCP library looks up. It ignores their case, so that two programs
// could read one line differently; the exact spelling is required.
var (
	envelopeKeys = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	paramKeys    = []string{
		"name", "arguments", "_meta", "cursor", "uri", "protocolVersion", "capabilities", "clientInfo",
		"requestId", "reason", "progressToken", "level", "task", "inputResponses", "requestState", "ref",
		"argument", "context", "notifications",
	}
)

// check reads the envelope of a line. A refusal without a code means: drop the line without an answer.
func check(line []byte) (message, *refusal) {
	switch {
	case len(line) > limits.MCPMessage:
		tooLong := tooLarge(newSeeker(line))
		return message{}, &tooLong
	case len(bytes.TrimSpace(line)) == 0:
		return message{}, &refusal{code: codeParse, text: "an empty line: send one JSON-RPC message per line"}
	case !utf8.Valid(line):
		return message{}, &refusal{code: codeParse, text: "the line is not UTF-8"}
	}
	at, err := jsonspan.Whole(line, maxDepth)
	if bad, ok := errors.AsType[*jsonspan.Error](err); ok && bad.TooDeep {
		return message{}, &refusal{found(newSeeker(line)), codeRequest, bad.What}
	} else if ok {
		return message{}, &refusal{code: codeParse,
			text: "the line is not one JSON value: send one JSON-RPC message per line"}
	}
	switch line[at.From] {
	case '{':
	case '[':
		return message{}, &refusal{code: codeRequest, text: "batches are not supported: send one message per line"}
	default:
		return message{}, &refusal{code: codeRequest, text: "a message is a JSON object"}
	}
	fields, wrong := object(line, envelopeKeys)
	return judge(fields, wrong)
}

// judge validates the members of an envelope.
func judge(fields map[string]json.RawMessage, wrong string) (message, *refusal) {
	rawID, hasID := fields["id"]
	m := message{}
	if hasID {
		if why := badID(rawID); why != "" {
			return m, &refusal{code: codeRequest, text: why}
		}
		m.id = rawID
	}
	if wrong == duplicate("id") {
		m.id = nil // the other one may belong to another request
	}
	refuse := func(code int, format string, args ...any) (message, *refusal) {
		return m, &refusal{m.id, code, fmt.Sprintf(format, args...)}
	}
	_, result := fields["result"]
	_, failed := fields["error"]
	switch {
	case wrong != "":
		return refuse(codeRequest, "%s", wrong)
	case string(fields["jsonrpc"]) != `"2.0"`:
		return refuse(codeRequest, `jsonrpc must be "2.0"`)
	case fields["method"] == nil && (result || failed):
		m.answer = true
		return m, &refusal{} // dropped, unless the server is waiting for an answer
	case result || failed:
		return refuse(codeRequest, "a request has neither result nor error")
	}
	if json.Unmarshal(fields["method"], &m.method) != nil || m.method == "" || len(m.method) > maxMethod {
		m.method = ""
		return refuse(codeRequest, "method must be a string of 1 to %d bytes", maxMethod)
	}
	if why := badParams(fields["params"]); why != "" {
		if !hasID {
			return m, &refusal{} // a notification is never answered
		}
		return refuse(codeParams, "%s", why)
	}
	m.params = fields["params"]
	return m, nil
}

// newSeeker finds the id of a message that is too long to keep: its sender waits for an answer with that id.
// parts are its beginning.
func newSeeker(parts ...[]byte) *jsonspan.Seeker {
	s := &jsonspan.Seeker{Name: "id", Max: maxID}
	for _, p := range parts {
		_, _ = s.Write(p)
	}
	return s
}

// tooLarge refuses a message that is too long to keep.
func tooLarge(s *jsonspan.Seeker) refusal {
	return refusal{found(s), codeRequest, fmt.Sprintf("the message is longer than %d MiB: pass the "+
		"conversation in parts with `since`, or import its file with `ctxledger import`", limits.MCPMessage>>20)}
}

// found returns the id, or nil if there is no valid one.
func found(s *jsonspan.Seeker) json.RawMessage {
	if id := s.Value(); len(id) > 0 && json.Valid(id) && badID(id) == "" {
		return id
	}
	return nil
}

// duplicate is the message about two members of the same name.
func duplicate(key string) string { return fmt.Sprintf("%.1000q is given twice", key) }

// object returns the members of an object in valid JSON. wrong reports a duplicate name, or a known name in another
// spelling.
func object(src []byte, known []string) (fields map[string]json.RawMessage, wrong string) {
	fields = map[string]json.RawMessage{}
	for name, value := range jsonspan.New(src, jsonspan.MaxDepth).Members {
		key := jsonspan.Unquote(name.In(src))
		if _, twice := fields[key]; twice && wrong == "" {
			wrong = duplicate(key)
		}
		if right := spelled(key, known); right != "" && wrong == "" {
			wrong = fmt.Sprintf("%.1000q must be spelled %q", key, right)
		}
		fields[key] = value.In(src)
	}
	return fields, wrong
}

// badID returns why an id is invalid, or "".
func badID(raw json.RawMessage) string {
	switch c := raw[0]; {
	case c == '"' && len(raw) <= maxID:
		return ""
	case c == '"':
		return fmt.Sprintf("an id has at most %d bytes", maxID)
	case c == '-' || '0' <= c && c <= '9':
		var n int64
		if json.Unmarshal(raw, &n) != nil || n > maxNumber || n < -maxNumber || string(raw) == "-0" {
			return "a numeric id is an integer of at most 53 bits"
		}
		return ""
	}
	return "an id is a string or an integer"
}

// badParams returns why params are invalid, or "".
func badParams(raw json.RawMessage) string {
	if raw == nil {
		return ""
	}
	if raw[0] != '{' {
		return "params must be an object"
	}
	_, wrong := object(raw, paramKeys)
	return wrong
}

// spelled returns the known key that a key misspells by case, or "".
func spelled(key string, known []string) string {
	at := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, key) })
	if at < 0 || slices.Contains(known, key) {
		return ""
	}
	return known[at]
}
