package excerpt

import "ctxledger.dev/internal/pattern"

// IsReply reports whether a result says nothing of the work: it is a stub of ours, or says that the arguments of the call
// were wrong.
func IsReply(text string) bool {
	const looked = 400 // bytes
	return reply().MatchString(text[:min(len(text), looked)])
}

var reply = pattern.Lazy(`^\s*(?:1\t)?(?:<tool_use_error>)?\s*(?:Error: )?(?:\[result offloaded — |InputValidationError\b|` +
	`MCP error -32602\b|Invalid (?:tool )?(?:arguments?|parameters?|input)\b|[Mm]issing required (?:argument|parameter)|` +
	`failed to parse function arguments)`)
