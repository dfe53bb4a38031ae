package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// method is one method of the protocol that the server has. There is one file for each.
type method struct {
	name string
	call bool // it is answered
	// early says that it is taken in before the client has initialized the server, late that it is after
	// shutdown.
	early, late bool
	// inOrder says that nothing else is read before the call is answered.
	inOrder bool
	// accept takes in the parameters, in the order in which the client sent them, and returns what
	// computes the answer, which may run beside others. That of a notification is nil.
	accept func(s *Server, params jsonrpc2.RawMessage) (answer, error)
}

// answer computes what a call is answered with.
type answer func(ctx context.Context) (any, error)

// notification returns a method that is not answered.
func notification[P any](name string, take func(*Server, *P) error) method {
	return method{name: name, accept: func(s *Server, raw jsonrpc2.RawMessage) (answer, error) {
		p, err := params[P](raw)
		if err != nil {
			return nil, err
		}
		return nil, take(s, p)
	}}
}

// call returns a method that is answered.
func call[P, R any](name string, do func(context.Context, *Server, *P) (R, error)) method {
	return method{name: name, call: true, accept: func(s *Server, raw jsonrpc2.RawMessage) (answer, error) {
		p, err := params[P](raw)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (any, error) { return do(ctx, s, p) }, nil
	}}
}

// about returns a method that is answered from the document that of names, as it is when the call is read.
// If it has changed before the answer is there, the answer is refused. About a document that is not open
// there is nothing to say.
func about[P, R any](name string, of func(*P) uri.URI, do func(context.Context, *Server, *document, *P) (R, error)) method {
	return method{name: name, call: true, accept: func(s *Server, raw jsonrpc2.RawMessage) (answer, error) {
		p, err := params[P](raw)
		if err != nil {
			return nil, err
		}
		d := s.documents.get(of(p))
		if d == nil {
			return func(context.Context) (any, error) { return jsonrpc2.RawMessage(nil), nil }, nil
		}
		return func(ctx context.Context) (any, error) {
			result, err := do(ctx, s, d, p)
			s.documents.used(d.uri)
			if err == nil && s.documents.get(d.uri) != d {
				return nil, protocol.ErrContentModified
			}
			return result, err
		}, nil
	}}
}

// nothing is the parameters of a method that has none.
type nothing struct{}

// params decodes parameters. Errors: invalid params.
func params[P any](raw jsonrpc2.RawMessage) (*P, error) {
	p := new(P)
	if _, none := any(p).(*nothing); none {
		return p, nil
	}
	if len(raw) == 0 {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "parameters are missing")
	}
	if err := protocol.Unmarshal(raw, p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "parameters: %.1000s", err.Error())
	}
	return p, nil
}
