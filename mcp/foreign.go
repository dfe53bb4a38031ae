package mcp

import (
	"bytes"
	"encoding/json"
	"strings"

	"ctxledger.dev/internal/fault"
)

// harmlessError returns an answer of the MCP library as it is, unless it is an error in the library's own words: those
// quote names and addresses as they came, so they are put on one line in which nothing is hidden.
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
	safe := inline(m.Error.Message)
	if safe == m.Error.Message {
		return line
	}
	m.Error.Message = safe
	return []byte(plainJSON(m) + "\n")
}

// explained reports whether a message is one of explain: it begins with a code.
func explained(message string) bool {
	code, _, ok := strings.Cut(message, ": ")
	for _, c := range []fault.Code{
		fault.Invalid, fault.NotFound, fault.Conflict, fault.Stale, fault.TooLarge, fault.Limited, fault.Denied, fault.Corrupt, fault.Unavailable, fault.Internal,
	} {
		if ok && code == string(c) {
			return true
		}
	}
	return false
}
