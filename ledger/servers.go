package ledger

import (
	"context"
	"time"
)

// Servers keeps what MCP servers answered when a person had them asked for their tools. ToolUse returns it.
type Servers interface {
	// KeepServer records what a server answered, instead of what the one at the same place answered before. invalid,
	// too_large.
	KeepServer(ctx context.Context, r KeepServerRequest) (AskedServer, error)
}

// Bounds of what is kept of servers.
const (
	MaxServerTools  = 256 // tools of one server
	MaxToolName     = 128 // bytes
	MaxAskedServers = 64  // in one ledger: the oldest are dropped
)

// AskedServer is what an MCP server answered when it was asked for its tools. Its texts are not kept, only their sizes.
type AskedServer struct {
	Config string      `json:"config"` // the digest of its configuration when it was asked
	At     time.Time   `json:"at"`
	Tools  []AskedTool `json:"tools"` // in the server's order; at most MaxServerTools
	// Instructions is how many o200k_base tokens the server says about itself.
	Instructions int `json:"instructions,omitempty"`
}

// AskedTool is a tool of a server. Its name is masked.
type AskedTool struct {
	Name   string `json:"name"`   // at most MaxToolName bytes
	Tokens int    `json:"tokens"` // o200k_base tokens of its definition
}

// KeepServerRequest records what a server answered.
type KeepServerRequest struct {
	Mutation
	Place string `json:"place"` // the configuration and the name in it; only its digest is kept
	AskedServer
}
