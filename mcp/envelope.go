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
)

// Codes of JSON-RPC.
const (
	codeParse   = -32700 // not JSON
	codeRequest = -32600 // JSON, but not a request
	codeParams  = -32602 // a request whose params are wrong
)

// Bounds of a message's envelope. What is inside params has its own.
const (
	maxDepth  = 600     // nesting; one more than what a conversation's message may have, and its frame
	maxMethod = 200     // bytes of a method's name
	maxID     = 1000    // bytes of an id
	maxNumber = 1 << 53 // beyond it the MCP library would answer with another id
)

// message is what the framer has to know of a line that it lets pass.
type message struct {
	id     json.RawMessage // as received; nil for a notification
	method string          // "" for an answer
	answer bool            // to a request of the server
}

// refusal is the answer to a line that does not pass.
type refusal struct {
	id   json.RawMessage // nil: not known, or not one
	code int
	text string
}

// envelopeKeys and paramKeys are the names that the MCP library looks for. It matches them without
// regard to case, so that two programs could read one line differently: we insist on the spelling.
var (
	envelopeKeys = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	paramKeys    = []string{
		"name", "arguments", "_meta", "cursor", "uri", "protocolVersion", "capabilities", "clientInfo",
		"requestId", "reason", "progressToken", "level", "task", "inputResponses", "requestState", "ref",
		"argument", "context", "notifications",
	}
)

// check reads the envelope of a line. A refusal without a code means that the line is to be dropped
// without an answer.
func check(line []byte) (message, *refusal) {
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return message{}, &refusal{code: codeParse, text: "an empty line: send one JSON-RPC message a line"}
	case !utf8.Valid(line):
		return message{}, &refusal{code: codeParse, text: "the line is not UTF-8"}
	}
	at, err := jsonspan.Whole(line, maxDepth)
	if bad, ok := errors.AsType[*jsonspan.Error](err); ok && bad.TooDeep {
		s := newSeeker()
		_, _ = s.Write(line)
		return message{}, &refusal{found(s), codeRequest, bad.What}
	} else if ok {
		return message{}, &refusal{code: codeParse, text: "the line is not one JSON value: send one JSON-RPC message a line"}
	}
	switch line[at.From] {
	case '{':
	case '[':
		return message{}, &refusal{code: codeRequest, text: "batches are not supported: send one message a line"}
	default:
		return message{}, &refusal{code: codeRequest, text: "a message is a JSON object"}
	}
	fields, wrong := object(line, envelopeKeys)
	return judge(fields, wrong)
}

// judge holds the members of an envelope against the rules.
func judge(fields map[string]json.RawMessage, wrong string) (message, *refusal) {
	rawID, hasID := fields["id"]
	m := message{}
	if hasID {
		if why := badID(rawID); why != "" {
			return m, &refusal{code: codeRequest, text: why}
		}
		m.id = rawID
	}
	if wrong == standsTwice("id") {
		m.id = nil // whichever was meant, the other may belong to another request
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
		return m, &refusal{} // dropped, unless the server is asking something
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
	return m, nil
}

// newSeeker looks for the id of a message that is not kept: its sender waits for an answer under that id.
func newSeeker() *jsonspan.Seeker { return &jsonspan.Seeker{Name: "id", Max: maxID} }

// found returns the id, or nil when there was none that is one.
func found(s *jsonspan.Seeker) json.RawMessage {
	if id := s.Value(); len(id) > 0 && json.Valid(id) && badID(id) == "" {
		return id
	}
	return nil
}

// standsTwice says that an object has two members of a name.
func standsTwice(key string) string { return fmt.Sprintf("%.1000q stands twice", key) }

// object returns the members of an object in valid JSON. The second result says what is wrong with their names: one that
// is a duplicate, or a known one in another spelling.
func object(src []byte, known []string) (fields map[string]json.RawMessage, wrong string) {
	fields = map[string]json.RawMessage{}
	for name, value := range jsonspan.New(src, jsonspan.MaxDepth).Members {
		key := jsonspan.Unquote(name.In(src))
		if _, twice := fields[key]; twice && wrong == "" {
			wrong = standsTwice(key)
		}
		if right := spelled(key, known); right != "" && wrong == "" {
			wrong = fmt.Sprintf("%.1000q must be spelled %q", key, right)
		}
		fields[key] = value.In(src)
	}
	return fields, wrong
}

// badID says what is wrong with an id, if anything is.
func badID(raw json.RawMessage) string {
	switch c := raw[0]; {
	case c == '"' && len(raw) <= maxID:
		return ""
	case c == '"':
		return fmt.Sprintf("an id has at most %d bytes", maxID)
	case c == '-' || '0' <= c && c <= '9':
		var n int64
		if json.Unmarshal(raw, &n) != nil || n > maxNumber || n < -maxNumber || string(raw) == "-0" {
			return "a number as id is an integer of at most 53 bits"
		}
		return ""
	}
	return "an id is a string or an integer"
}

// badParams says what is wrong with params, if anything is.
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

// canonical returns an id in the form in which the MCP library answers it.
func canonical(id json.RawMessage) string {
	var v any
	if json.Unmarshal(id, &v) != nil {
		return string(id)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return string(id)
	}
	return string(text)
}

// spelled says whether a key is a known one in another spelling, or "".
func spelled(key string, known []string) string {
	if slices.Contains(known, key) {
		return ""
	}
	for _, k := range known {
		if strings.EqualFold(k, key) {
			return k
		}
	}
	return ""
}
