package asking

import (
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/trust"
)

// Role is the first argument of ctxmcp that makes it ask. It is hidden: only Ask uses it.
const Role = "__ask"

// MaxRequest bounds a Request as it is sent, in bytes: an entry of a configuration names the server.
const MaxRequest = 64 << 10

// Request names a server and what was approved of it.
type Request struct {
	Root     string `json:"root"`     // of the workspace
	Host     string `json:"host"`     // "claude-code"
	Server   string `json:"server"`   // its name
	File     string `json:"file"`     // the configuration, absolute
	Approved string `json:"approved"` // the digest of what the person has seen
}

// Reply is what the process prints: an answer, or why there is none.
type Reply struct {
	Answer *Answer      `json:"answer,omitempty"`
	Error  *fault.Error `json:"error,omitempty"`
}

// Answer is what a server answered.
type Answer struct {
	Tools        []ledger.AskedTool `json:"tools"`
	Instructions int                `json:"instructions"` // o200k_base tokens of what it says about itself
}

// Kept is the answer of a server as the ledger keeps it: in the place of what the same server answered before.
func (a Answer) Kept(s trust.ServerAsk) ledger.KeepServerRequest {
	return ledger.KeepServerRequest{Place: s.File + "\x00" + s.Name,
		AskedServer: ledger.AskedServer{Config: s.Config, Tools: a.Tools, Instructions: a.Instructions}}
}
