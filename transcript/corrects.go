package transcript

import (
	"slices"
	"strings"
)

// corrections are the beginnings of the messages with which orchestrators correct an agent. blocked
// may stand anywhere.
var corrections = []string{
	"RETRY ", "NO TOOL CALLS", "CRITICAL:", "APPROVED rejected:", "WRONG KEYWORD:", "JSON block correct", "BUILD FAILURE:", "STAGNATION (",
	"STUCK ", "HALLUCINATION:", "PERSISTENT BUILD FAILURE", "VERIFICATION FINDING", "Files written this turn", "No handoff keyword",
	"EVIDENCE INCONSISTENCY", "EVIDENCE AUDIT REQUIRED", "MISSING ARTIFACT",
}

const blocked = "[fuseraft:blocked"

// Corrects reports whether a message corrects an agent, in the words of a known orchestrator.
func Corrects(m Message) bool {
	return slices.ContainsFunc(m.Parts, func(p Part) bool {
		return p.Kind == KindText && (strings.Contains(p.Text, blocked) ||
			slices.ContainsFunc(corrections, func(start string) bool { return strings.HasPrefix(p.Text, start) }))
	})
}
