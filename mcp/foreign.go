package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// maxForeign bounds an error of the MCP library, in characters.
const maxForeign = 400

// harmlessError makes errors of the MCP library safe to show: the library quotes names and addresses unchanged, so its
// message becomes one short line without hidden characters. Other answers are returned unchanged.
func harmlessError(line []byte) []byte {
	if !bytes.Contains(line, []byte(`"error":{`)) {
		return line
	}
	var m struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data,omitempty"`
		} `json:"error"`
	}
	if json.Unmarshal(line, &m) != nil || m.Error == nil || explained(m.Error.Message) {
		return line
	}
	safe := chars.Short(inline(m.Error.Message), maxForeign)
	if safe == m.Error.Message {
		return line
	}
	m.Error.Message = safe
	return []byte(plainJSON(m) + "\n")
}

// explained reports whether explain made a message: it begins with a code.
func explained(message string) bool {
	code, _, ok := strings.Cut(message, ": ")
	return ok && slices.Contains([]fault.Code{
		fault.Invalid, fault.NotFound, fault.Conflict, fault.Stale, fault.TooLarge,
		fault.Limited, fault.Denied, fault.Corrupt, fault.Unavailable, fault.Internal,
		fault.Full, fault.Moved, fault.Locked,
	}, fault.Code(code))
}
