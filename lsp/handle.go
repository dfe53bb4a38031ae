package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// handle processes one message. Messages are processed in order until a call has its document; the answer is computed
// concurrently. An error of a notification is only logged: the library would close the connection.
func (s *Server) handle(wire context.Context, req *jsonrpc2.Request) (any, error) {
	s.touch()
	name := strings.Clone(req.Method())
	compute, err := guarded(name, func() (answer, error) { return s.accept(name, req) })
	if !req.IsCall() {
		if err != nil && !strings.HasPrefix(name, "$/") {
			s.o.Log.Warn("dropped a notification", "method", fmt.Sprintf("%.1000q", name), "why", err.Error())
		}
		return nil, nil
	}
	if err != nil {
		return nil, s.wireError(name, err)
	}
	ctx, cancel := context.WithCancel(s.life)
	defer cancel()
	if err := s.inFlight.add(req.ID(), cancel); err != nil {
		return nil, err
	}
	defer s.inFlight.remove(req.ID())
	if !s.methods[name].inOrder {
		jsonrpc2.Async(wire)
	}
	result, err := guarded(name, func() (any, error) { return compute(ctx) })
	if ctx.Err() != nil {
		err = protocol.ErrRequestCancelled
	}
	return result, s.wireError(name, err)
}

// accept finds the method, checks that it is allowed at this stage, and accepts its parameters.
func (s *Server) accept(name string, req *jsonrpc2.Request) (answer, error) {
	m, known := s.methods[name]
	switch at := s.at(); {
	case at == starting && !m.early:
		return nil, jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the first request has to be initialize")
	case at == stopped && !m.late:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is shut down")
	case !known:
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "unknown method %.1000q", name)
	case m.call != req.IsCall():
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s: requests have an id, notifications have none",
			name)
	}
	return m.accept(s, req.Params())
}

// wireError is the only conversion of an error to what a client sees. An internal error shows an incident id; the log
// has the details.
func (s *Server) wireError(method string, err error) error {
	if err == nil {
		return nil
	}
	if wire, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		said := *wire // a copy: it may be a value of the library
		said.Message = s.sanitize(wire.Message)
		return &said
	}
	if errors.Is(err, context.Canceled) {
		return protocol.ErrRequestCancelled
	}
	code := map[fault.Code]jsonrpc2.Code{
		fault.Invalid:  jsonrpc2.InvalidParams,
		fault.Internal: jsonrpc2.InternalError,
		fault.Stale:    protocol.CodeContentModified,
	}[fault.CodeOf(err)]
	switch code {
	case 0:
		code = requestFailed
	case jsonrpc2.InternalError:
		id := s.o.Env.ID(4)
		s.o.Log.Error("internal error", "method", method, "incident", id, "detail", err.Error())
		return jsonrpc2.Errorf(code, "something went wrong in ctxledger, incident %s: the log has the details", id)
	}
	return explained(code, s.sanitize(err.Error()), s.sanitize(fault.HintOf(err)))
}

// maxMessage is the maximum length of an error message, in characters.
const maxMessage = 1000

// sanitize masks secrets and deceptive characters in a message, which may quote stored text.
func (s *Server) sanitize(text string) string {
	return chars.Head(chars.Plain(s.masks.String(text)), maxMessage)
}

// explained returns an error for a client. Most clients show only the message; the data separates message and hint for
// those that can show both.
func explained(code jsonrpc2.Code, message, hint string) *jsonrpc2.Error {
	if hint == "" {
		return jsonrpc2.NewError(code, message)
	}
	wire := jsonrpc2.NewError(code, message+"; "+hint)
	if data, err := json.Marshal(map[string]string{"message": message, "hint": hint}); err == nil {
		wire.Data = data
	}
	return wire
}

// requestFailed is RequestFailed of the protocol, which the library does not define.
const requestFailed jsonrpc2.Code = -32803

// guarded runs fn and converts a panic to an internal error with the stack, for the log.
func guarded[T any](what string, fn func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "lsp.handle", "panic in %.1000q: %v\n%s", what, p, debug.Stack())
		}
	}()
	return fn()
}
