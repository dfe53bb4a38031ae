package lsp

import (
	"bytes"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
)

// maxNesting is how deep the values of a message may lie in each other: far more than any does, and
// nothing for what walks through them.
const maxNesting = 512

// refusal is why a message is not looked at, and under which id that is said.
type refusal struct {
	id  jsonrpc2.ID // the zero ID is null
	err *jsonrpc2.Error
}

// decode reads a message. What breaks the rules of JSON-RPC is refused.
func decode(body []byte) (jsonrpc2.Message, *refusal) {
	e, err := examine(body)
	if err != nil {
		return nil, &refusal{err: err}
	}
	id, isID := e.requestID()
	msg, bad := jsonrpc2.DecodeMessage(body)
	switch wire, _ := bad.(*jsonrpc2.Error); {
	case bad != nil && wire == nil:
		return nil, &refusal{id, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "not a message of JSON-RPC")}
	case bad != nil:
		return nil, &refusal{id, jsonrpc2.NewError(wire.Code, "not a message of JSON-RPC 2.0")}
	case e.id != nil && !isID:
		return nil, &refusal{err: jsonrpc2.NewError(jsonrpc2.InvalidRequest, "an id is a string or a whole number")}
	}
	return msg, nil
}

// envelope is what is known of a message before it is decoded.
type envelope struct{ id []byte } // as it is written; nil: none

// requestID returns the id, if it is one.
func (e envelope) requestID() (jsonrpc2.ID, bool) {
	var number int64
	var text string
	switch {
	case len(e.id) == 0 || e.id[0] == 'n':
	case json.Unmarshal(e.id, &number) == nil:
		return jsonrpc2.NewNumberID(number), true
	case json.Unmarshal(e.id, &text) == nil:
		return jsonrpc2.NewStringID(text), true
	}
	return jsonrpc2.ID{}, false
}

// examine looks for what decoding would not refuse: a member twice, and values too deep in each other.
// It goes once over the message and nests no calls.
func examine(body []byte) (envelope, *jsonrpc2.Error) {
	var e envelope
	seen := map[string]bool{}
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{', '[':
			if depth++; depth > maxNesting {
				return e, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "values nested deeper than %d", maxNesting)
			}
		case '}', ']':
			depth--
		case '"':
			text, end := stringAt(body, i)
			i = end - 1
			value, isKey := valueAt(body, end)
			if depth != 1 || !isKey {
				continue
			}
			key := string(text[:min(len(text), maxKey)])
			if seen[key] || len(seen) > maxMembers {
				return e, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the member %.1000q twice, or too many of them", key)
			}
			seen[key] = true
			if key == "id" {
				e.id = value
			}
		}
	}
	return e, nil
}

// Bounds on the members of a message: it has five at most.
const (
	maxKey     = 100 // bytes
	maxMembers = 100
)

// stringAt returns what is between the quotes of the string that starts at i, and where the string ends.
func stringAt(body []byte, i int) (text []byte, end int) {
	for end = i + 1; end < len(body); end++ {
		next := bytes.IndexByte(body[end:], '"')
		if next < 0 {
			break
		}
		end += next
		slashes := end
		for body[slashes-1] == '\\' {
			slashes--
		}
		if (end-slashes)%2 == 0 {
			return body[i+1 : end], end + 1
		}
	}
	return body[i+1:], len(body)
}

// valueAt returns the number, word or string that follows a key which ends at i, nothing for other values,
// and false where no colon follows.
func valueAt(body []byte, i int) (value []byte, isKey bool) {
	rest := bytes.TrimLeft(body[i:min(len(body), i+maxKey)], " \t\r\n")
	if len(rest) == 0 || rest[0] != ':' {
		return nil, false
	}
	rest = bytes.TrimLeft(rest[1:], " \t\r\n")
	if len(rest) > 0 && rest[0] == '"' {
		text, _ := stringAt(rest, 0)
		return rest[:min(len(rest), len(text)+2)], true
	}
	end := bytes.IndexAny(rest, ",}] \t\r\n")
	if end < 0 {
		end = len(rest)
	}
	return rest[:end], true
}
