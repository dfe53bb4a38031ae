package compaction

import "ctxledger.dev/internal/pattern"

// isReply reports whether a result says nothing of the work: it is a stub of ours, or says that the arguments of the call
// were wrong.
func isReply(text string) bool {
	const looked = 400 // bytes
	return replyText().MatchString(text[:min(len(text), looked)])
}

var replyText = pattern.Lazy(`^\s*(?:1\t)?(?:<tool_use_error>)?\s*(?:Error: )?(?:\[result offloaded — |InputValidationError\b|` +
	`MCP error -32602\b|Invalid (?:tool )?(?:arguments?|parameters?|input)\b|[Mm]issing required (?:argument|parameter)|` +
	`failed to parse function arguments)`)
