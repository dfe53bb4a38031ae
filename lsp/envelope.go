package lsp

import (
	"encoding/json"
	"errors"

	"ctxledger.dev/internal/jsonspan"

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
	id, isID := e.requestID()
	if err != nil {
		return nil, &refusal{id, err}
	}
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

// examine looks for what decoding would not refuse: a member twice, values too deep in each other, and inside of the
// members what is no JSON.
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
			return envelope{}, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the member %.1000q twice, or too many of them", key)
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
	return e, jsonrpc2.NewError(jsonrpc2.ParseError, "not a message of JSON-RPC 2.0")
}

// Bounds on the members of a message: it has five at most.
const (
	maxKey     = 100 // bytes
	maxMembers = 100
)
