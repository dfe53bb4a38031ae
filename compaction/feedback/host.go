package feedback

import "ctxledger.dev/internal/pattern"

// noAnswer is what Claude Code writes in the agent's name where nothing was asked of it.
const noAnswer = "No response requested."

// hostError matches what Claude Code writes in the agent's name when the service of the model failed.
var hostError = pattern.Lazy(`^API Error: \d{3} `)

// FromHost reports whether a host wrote a message in the agent's name.
func FromHost(text string) bool { return text == noAnswer || hostError().MatchString(text) }

// reportFooter matches what Claude Code writes behind the report of a subagent: how to call it again, and what it cost.
var reportFooter = pattern.Lazy(
	`(?s)\s*(agentId: \w+ \([^()\n]{0,200}\)\s*)?(<usage>.{0,400}</usage>\s*)?$`)

// Report returns what another agent reports, without what its host adds.
func Report(result string) string { return reportFooter().ReplaceAllString(result, "") }
