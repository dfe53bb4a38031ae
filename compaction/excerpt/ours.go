package excerpt

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/pattern"
)

// ownTools end the names of our tools that a host may list without the name of our server.
var ownTools = []string{"read_artifact", "compact_conversation", "context_status"}

// OwnTool reports whether a tool is one of ctxledger's: what it answers is about the record, or a copy of what the record
// holds elsewhere.
func OwnTool(name string) bool {
	return strings.Contains(name, "ctxledger") ||
		slices.ContainsFunc(ownTools, func(own string) bool { return strings.HasSuffix(name, own) })
}

// IsReply reports whether a result says nothing of the work: it is a stub of ours, or says that the arguments of the call
// were wrong.
func IsReply(text string) bool {
	const looked = 400 // bytes
	return reply().MatchString(text[:min(len(text), looked)])
}

var reply = pattern.Lazy(`^\s*(?:1\t)?(?:<tool_use_error>)?\s*(?:Error: )?(?:\[result offloaded — |InputValidationError\b|` +
	`MCP error -32602\b|Invalid (?:tool )?(?:arguments?|parameters?|input)\b|[Mm]issing required (?:argument|parameter)|` +
	`failed to parse function arguments)`)
