package intents

import (
	"slices"
	"strings"
)

// retrieving are ctxledger's tools that read recorded content back. Hosts put the name of the server in front.
var retrieving = []string{"read_artifact", compacting, "context_status"}

const compacting = "compact_conversation"

// Compacts reports whether a tool is the one of ctxledger's that compacts a conversation.
func Compacts(tool string) bool { return strings.HasSuffix(tool, compacting) }

// Retrieves reports whether a tool, by the name that its host gives it, is one of ctxledger's that read recorded content
// back: what it answers is a copy.
func Retrieves(tool string) bool {
	return slices.ContainsFunc(retrieving, func(own string) bool { return strings.HasSuffix(tool, own) })
}

// Logs reports whether a tool logs what was tried, so that nobody tries it again: ctxledger's, and that of jutul-agent.
func Logs(tool string) bool {
	return slices.ContainsFunc([]string{"log_attempt", "log_hypothesis", "record_attempt"},
		func(own string) bool { return strings.HasSuffix(tool, own) })
}

// Own reports whether a tool is one of ctxledger's: what it answers is about the record, or a copy of what the record
// holds elsewhere.
func Own(tool string) bool { return strings.Contains(tool, "ctxledger") || Retrieves(tool) }
