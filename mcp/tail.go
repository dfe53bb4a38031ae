package mcp

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/engine"
	"ctxledger.dev/transcript"
)

// Characters of one line of a tail.
const (
	tailRequest = 1_200
	tailSaid    = 500
	tailCall    = 160
)

// tail tells what stands in a view from an entry on: requests, words and calls, the newest that the
// budget holds, in their order. Results are left out.
func tail(view []engine.ViewMessage, from int64) string {
	var lines []string // newest first
	room := tailBudget
	for _, m := range slices.Backward(view) {
		if m.Seq == 0 || m.Seq < from {
			break
		}
		for _, line := range slices.Backward(told(m)) {
			if room -= count(line + "\n"); room < 0 {
				lines = append(lines, "- …")
				slices.Reverse(lines)
				return strings.Join(lines, "\n")
			}
			lines = append(lines, line)
		}
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// told gives the lines that tell a message.
func told(m engine.ViewMessage) []string {
	decoded, err := transcript.Decode(m.Format, m.JSON)
	if err != nil {
		return []string{fmt.Sprintf("- a message that cannot be read (entry %d)", m.Seq)}
	}
	var lines []string
	for _, p := range decoded.Parts {
		switch {
		case p.Kind == transcript.KindText && decoded.Role == transcript.RoleUser:
			lines = append(lines, "- user: "+oneLine(p.Text, tailRequest))
		case p.Kind == transcript.KindText && decoded.Role == transcript.RoleAssistant:
			lines = append(lines, "- agent: "+oneLine(p.Text, tailSaid))
		case p.Kind == transcript.KindCall:
			lines = append(lines, "- call "+oneLine(p.Name+" "+string(p.Args), tailCall))
		}
	}
	return lines
}
