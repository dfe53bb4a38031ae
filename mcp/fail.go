package mcp

import (
	"fmt"
	"runtime/debug"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/termtext"
)

// explain is the only conversion of an error to what a client sees: code, message and hint. Messages may quote input, so
// secrets in them are masked and their length is bounded. An internal error shows an incident id; the log has the
// details.
func (s *Server) explain(err error) string {
	code := fault.CodeOf(err)
	if code == fault.Internal {
		id := s.o.Env.ID(4)
		s.o.Log.Error("internal error", "incident", id, "detail", err.Error())
		return fmt.Sprintf("%s: something went wrong in ctxledger, incident %s\n"+
			"hint: the log on standard error has the details under that incident", code, id)
	}
	text := fmt.Sprintf("%s: %s", code, clean(err.Error()))
	if hint := fault.HintOf(err); hint != "" {
		text += "\nhint: " + clean(stepFor(hint))
	}
	return termtext.Clip(chars.ShortQuotes(s.masks.String(text)), termtext.ResultMax)
}

// explained begins what explain made, until it is encoded: no message of the MCP library begins so.
const explained = "\x00"

// failure is explain for prompts and resources, whose errors are protocol errors.
func (s *Server) failure(err error) error {
	return fault.New(fault.CodeOf(err), "mcp", "%s", explained+s.explain(err))
}

// guarded runs fn and converts a panic to an internal error with the stack, for the log.
func guarded[T any](what string, fn func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "mcp.call", "panic in %s: %v\n%s", what, p, debug.Stack())
		}
	}()
	return fn()
}

// plainJSON returns the JSON of a value of this package, without HTML escapes.
func plainJSON(v any) string { return string(registry.JSON(v)) }
