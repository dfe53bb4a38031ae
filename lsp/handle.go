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

// handle takes in what the client sends. It runs in the order of the wire until a call has its document;
// the answer is computed beside what comes next. An error of a notification ends nothing: in the library
// it would end the connection.
func (s *Server) handle(wire context.Context, req *jsonrpc2.Request) (any, error) {
	s.touch()
	name := strings.Clone(req.Method())
	compute, err := guarded(name, func() (answer, error) { return s.accept(name, req) })
	if !req.IsCall() {
		if err != nil && !strings.HasPrefix(name, "$/") {
			s.o.Log.Warn("left out a notification", "method", fmt.Sprintf("%.1000q", name), "why", err.Error())
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

// accept finds the method and takes in its parameters, if it is its time.
func (s *Server) accept(name string, req *jsonrpc2.Request) (answer, error) {
	m, known := s.methods[name]
	switch at := s.at(); {
	case at == starting && !m.early:
		return nil, jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the first request has to be initialize")
	case at == stopped && !m.late:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is shut down")
	case !known:
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "there is no method %.1000q", name)
	case m.call != req.IsCall():
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s: only requests have an id, and notifications none", name)
	}
	return m.accept(s, req.Params())
}

// wireError is the one place where an error becomes what a client sees. What we did not foresee shows an
// incident id; what happened stands in the log.
func (s *Server) wireError(method string, err error) error {
	if err == nil {
		return nil
	}
	if wire, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		said := *wire // it may be one of the library's own
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

// maxMessage is how long what is said of an error may be, in characters.
const maxMessage = 1000

// sanitize returns a message without secrets and without what could deceive a reader: it may quote what is stored.
func (s *Server) sanitize(text string) string {
	return chars.Head(chars.Plain(s.masks.String(text)), maxMessage)
}

// explained returns the error that a client gets: the message is all that most show, the data is for one
// that shows what went wrong and what to do apart.
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

// requestFailed is RequestFailed of the protocol, which the library does not name.
const requestFailed jsonrpc2.Code = -32803

// guarded runs fn and turns a panic into an internal error that carries the stack to the log.
func guarded[T any](what string, fn func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "lsp.handle", "panic in %.1000q: %v\n%s", what, p, debug.Stack())
		}
	}()
	return fn()
}
