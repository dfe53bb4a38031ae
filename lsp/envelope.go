package lsp

import (
	"encoding/json"
	"errors"

	"ctxledger.dev/internal/jsonspan"

	"go.lsp.dev/jsonrpc2"
)

// maxNesting is the maximum depth of nested values, far more than any message has.
const maxNesting = 512

// refusal is the error for a malformed message, with the id to answer to.
type refusal struct {
	id  jsonrpc2.ID // the zero ID is null
	err *jsonrpc2.Error
}

// decode decodes a message and rejects violations of JSON-RPC.
func decode(body []byte) (jsonrpc2.Message, *refusal) {
	e, err := examine(body)
	id, isID := e.requestID()
	if err != nil {
		return nil, &refusal{id, err}
	}
	msg, bad := jsonrpc2.DecodeMessage(body)
	switch wire, _ := bad.(*jsonrpc2.Error); {
	case bad != nil && wire == nil:
		return nil, &refusal{id, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "not a JSON-RPC message")}
	case bad != nil:
		return nil, &refusal{id, jsonrpc2.NewError(wire.Code, "not a JSON-RPC 2.0 message")}
	case e.id != nil && !isID:
		return nil, &refusal{err: jsonrpc2.NewError(jsonrpc2.InvalidRequest, "an id is a string or a whole number")}
	}
	return msg, nil
}

// envelope is what examine finds in a message.
type envelope struct{ id []byte } // as encoded; nil: none

// requestID returns the id, if it is valid.
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

// examine checks what decoding does not: duplicate members, nesting that is too deep, and invalid JSON inside of
// members.
func examine(body []byte) (envelope, *jsonrpc2.Error) {
	var e envelope
	seen := map[string]bool{}
	w := jsonspan.New(body, maxNesting)
	if w.Peek() != '{' {
		return e, nil
	}
	for name, value := range w.Members {
		key := string(name.In(body)[:min(name.To-name.From, maxKey)])
		if seen[key] || len(seen) > maxMembers {
			return envelope{}, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "member %.1000q repeated, or too many "+
				"members",
				key)
		}
		seen[key] = true
		if key == `"id"` {
			e.id = value.In(body)
		}
	}
	switch bad, _ := errors.AsType[*jsonspan.Error](w.End()); {
	case bad == nil:
		return e, nil
	case bad.TooDeep:
		return envelope{}, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "values %s", bad.What)
	}
	return e, jsonrpc2.NewError(jsonrpc2.ParseError, "not a JSON-RPC 2.0 message")
}

// Bounds on the members of a message: it has five at most.
const (
	maxKey     = 100 // bytes
	maxMembers = 100
)
