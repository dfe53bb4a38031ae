package transcript

import (
	"slices"
	"strings"
)

// Corrections returns the beginnings of the messages with which known orchestrators correct an agent.
func Corrections() []string { return slices.Clone(corrections) }

var corrections = []string{
	"RETRY ", "NO TOOL CALLS", "CRITICAL:", "APPROVED rejected:", "WRONG KEYWORD:", "JSON block correct",
	"BUILD FAILURE:", "STAGNATION (",
	"STUCK ", "HALLUCINATION:", "PERSISTENT BUILD FAILURE", "VERIFICATION FINDING", "Files written this turn",
	"No handoff keyword",
	"EVIDENCE INCONSISTENCY", "EVIDENCE AUDIT REQUIRED", "MISSING ARTIFACT",
}

// blocked occurs anywhere in what an orchestrator says of a call that it refused.
const blocked = "[fuseraft:blocked"

// Corrects reports whether a message corrects an agent: one of its texts has one of these beginnings, or says
// that a call was blocked. An empty beginning is that of no text.
func Corrects(m Message, beginnings []string) bool {
	return slices.ContainsFunc(m.Parts, func(p Part) bool {
		return p.Kind == KindText && (strings.Contains(p.Text, blocked) ||
			slices.ContainsFunc(beginnings, func(start string) bool {
				return start != "" && strings.HasPrefix(p.Text, start)
			}))
	})
}
