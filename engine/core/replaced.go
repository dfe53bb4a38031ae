package core

import (
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
)

// What Claude Code, whose hooks alone replace results, passes on of a long one without a hook: a pointer to a file with the
// beginning. All in characters.
const (
	inlineCommand = 30_000 // what it passes on of a command's output
	inlineServer  = 50_000 // of the result of an MCP server
	pointer       = 2_400  // what it passes on of longer ones
)

// replaced notes what a result would have cost whole, if its text is a stub of ours: a hook has put it there.
func (rec *recorder) replaced(r *sessions.Result, text string) error {
	id, cause, ok := artifacts.StubOf(text)
	if !ok {
		return nil
	}
	a, err := artifacts.Get(rec.tx, id)
	if fault.Is(err, fault.NotFound) {
		return nil // of another ledger
	}
	if err != nil {
		return err
	}
	call, err := rec.called(r.CallID)
	if err != nil {
		return err
	}
	r.Whole, r.Cause = max(passedOn(call, a), 1), cause
	return nil
}

// called returns the host's name of the tool of a call; "" if the call is not known.
func (rec *recorder) called(id string) (string, error) {
	c, _, err := sessions.CallOf(rec.tx, rec.session.ID, id)
	if c == nil || err != nil {
		return "", err
	}
	return c.Name, nil
}

// passedOn returns what of an artifact would have reached the model as the result of a tool, in tokens.
func passedOn(tool string, a artifacts.Artifact) int {
	if !filed(tool, a.Chars) {
		return a.Tokens
	}
	return int(int64(a.Tokens) * pointer / a.Chars)
}

// filed reports whether the host itself puts so many characters of a tool's result into a file.
func filed(tool string, chars int64) bool {
	return tool == "Bash" && chars > inlineCommand || strings.HasPrefix(tool, "mcp__") && chars > inlineServer
}
