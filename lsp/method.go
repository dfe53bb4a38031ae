package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// method is a method of the protocol. Each has its own file.
type method struct {
	call bool // a request; else a notification
	// early allows it before initialize, late after shutdown.
	early, late bool
	// inOrder delays the next message until the call is answered.
	inOrder bool
	// accept decodes the parameters, in the order of the messages, and returns the function that computes the answer,
	// which may run concurrently; nil for a notification.
	accept func(s *Server, params jsonrpc2.RawMessage) (answer, error)
}

// answer computes the answer of a call.
type answer func(ctx context.Context) (any, error)

// notification returns a method without an answer.
func notification[P any](take func(*Server, *P) error) method {
	return method{accept: func(s *Server, raw jsonrpc2.RawMessage) (answer, error) {
		p, err := params[P](raw)
		if err != nil {
			return nil, err
		}
		return nil, take(s, p)
	}}
}

// call returns a method with an answer, about the folder that its parameters name.
func call[P, R any](do func(*folder, context.Context, *P) (R, error)) method {
	return method{call: true, accept: func(s *Server, raw jsonrpc2.RawMessage) (answer, error) {
		p, err := params[P](raw)
		if err != nil {
			return nil, err
		}
		in := s.meant(raw)
		return func(ctx context.Context) (any, error) { return do(in, ctx, p) }, nil
	}}
}

// about returns a method about a document, in its version when the call is read. If the document has changed before the
// answer is computed, the call is refused as outdated. The answer is null if it is not open.
func about[P, R any](do func(*folder, context.Context, *document, *P) (R, error)) method {
	return awaiting(func(_ context.Context, d *document) *document { return d }, do)
}

// figures is about for what depends on the model for which texts are counted: it waits until that is known, else its figures
// are others a moment later.
func figures[P, R any](do func(*folder, context.Context, *document, *P) (R, error)) method {
	return awaiting(func(ctx context.Context, d *document) *document {
		d.folder.awaitFigures(ctx)
		if now := d.folder.documents.get(d.uri); now != nil && now.edition == d.edition { // in another encoding
			return now
		}
		return d
	}, do)
}

// awaiting is about, with what a call does first.
func awaiting[P, R any](first func(context.Context, *document) *document,
	do func(*folder, context.Context, *document, *P) (R, error)) method {
	type textDocument struct {
		TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	}
	return method{call: true, accept: func(s *Server, raw jsonrpc2.RawMessage) (answer, error) {
		p, err := params[P](raw)
		if err != nil {
			return nil, err
		}
		of, err := params[textDocument](raw)
		if err != nil {
			return nil, err
		}
		d := s.documents.get(of.TextDocument.URI)
		if d == nil {
			return func(context.Context) (any, error) { return jsonrpc2.RawMessage(nil), nil }, nil
		}
		return func(ctx context.Context) (any, error) {
			d := first(ctx, d)
			result, err := do(d.folder, ctx, d, p)
			s.documents.used(d.uri)
			if err == nil && s.documents.get(d.uri) != d {
				return nil, protocol.ErrContentModified
			}
			return result, err
		}, nil
	}}
}

// nothing is the parameters of a method without parameters.
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
