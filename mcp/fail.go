package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/termtext"
)

// explain is the one place where an error becomes what a client sees: its code, its message and the
// way out. Messages quote what they refuse, so secrets in them are masked, and their length is bounded. A
// defect of ours shows an incident id; what happened stands in the log.
func (s *Server) explain(err error) string {
	code := fault.CodeOf(err)
	if code == fault.Internal {
		id := s.o.Env.ID(4)
		s.o.Log.Error("internal error", "incident", id, "detail", err.Error())
		return fmt.Sprintf("%s: something went wrong in ctxledger, incident %s\nhint: the details stand under that incident in the log on standard error", code, id)
	}
	text := fmt.Sprintf("%s: %s", code, clean(err.Error()))
	if hint := fault.HintOf(err); hint != "" {
		text += "\nhint: " + clean(hint)
	}
	return termtext.Clip(s.masks.String(text), termtext.ResultMax)
}

// failure is explain for what the protocol answers with an error: prompts and resources.
func (s *Server) failure(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.CodeOf(err), "mcp", "%s", s.explain(err))
}

// guarded runs fn and turns a panic into an internal error that carries the stack to the log.
func guarded[T any](what string, fn func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "mcp.call", "panic in %s: %v\n%s", what, p, debug.Stack())
		}
	}()
	return fn()
}

// plainJSON returns the JSON of one of our own values, without the escapes that only HTML needs.
func plainJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "{}" // unreachable: results are plain values
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
