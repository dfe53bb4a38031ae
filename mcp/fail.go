package mcp

import (
	"fmt"
	"runtime/debug"
	"strings"

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
		step := stepFor(hint)
		if step == ofThisChat && s.o.Permit != nil {
			step = "the operation sessions lists them" // over HTTP nothing says which chat it is
		}
		text += "\nhint: " + clean(step)
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

// ofThisChat is what helps where the host says which chat a call belongs to.
const ofThisChat = "leave session out to ask about this chat"

// steps are hints of the lower layers that name commands, as steps of an agent that has our tools and no shell.
var steps = map[string]string{
	"`ctxledger sessions SESSION` lists the summaries of a session": "context_status names the summary in effect",

	"`ctxledger sessions` lists them; `ctxledger workspaces` lists other directories": ofThisChat,

	"name one of them; `ctxledger sessions` shows what they are": "name one of them",
	"import one with `ctxledger import FILE`":                    `pass the conversation as "messages"`,
	"specify a project with --workspace, or use the user scope":  "use the user scope",
	"`ctxledger memory restore NAME` restores it":                "restore it by its name",
	// Of a summary's range that is too large to be read at once.
	"`ctxledger artifact read HANDLE` streams it": "read its messages one by one, by the ids that the summary names",

	"a memory is forgotten by its name: ctxledger forget --memory NAME": "the memory tool deletes a fact by its name",
}

// stepFor returns what an agent can do about an error with this hint. What only a shell can do is for the user.
func stepFor(hint string) string {
	if step, ok := steps[hint]; ok {
		return step
	}
	if ofShell(hint) {
		return "tell the user: " + hint
	}
	return hint
}

// ofShell reports whether a hint names a command or a flag.
func ofShell(hint string) bool {
	return strings.Contains(hint, "ctxledger ") || strings.Contains(hint, " --")
}
