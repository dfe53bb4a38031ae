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

// toldLine is one line that tells a part of a message.
type toldLine struct {
	text    string
	request bool // of the user: worth more than what the agent did
	in      bool // chosen
}

// tail tells what stands in a view from an entry on, in its order: requests, words and calls. Within
// the budget the newest requests come first, then the newest of the rest. Results are left out.
func tail(view []engine.ViewMessage, from int64) string {
	var lines []toldLine
	for _, m := range view {
		if m.Seq > 0 && m.Seq >= from {
			lines = append(lines, told(m)...)
		}
	}
	room := choose(lines, tailBudget*2/3, func(l toldLine) bool { return l.request })
	choose(lines, tailBudget-tailBudget*2/3+room, func(l toldLine) bool { return !l.in })
	var b strings.Builder
	gap := false
	for _, l := range lines {
		switch {
		case l.in:
			fmt.Fprintln(&b, l.text)
		case !gap:
			fmt.Fprintln(&b, "- …")
		}
		gap = !l.in
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// choose takes in the newest lines of a kind until the first that does not fit, and returns the room
// that is left.
func choose(lines []toldLine, room int, kind func(toldLine) bool) int {
	for i := range slices.Backward(lines) {
		l := &lines[i]
		if !kind(*l) {
			continue
		}
		const gap = 3 // tokens of the line that stands for what is left out before it
		cost := count(l.text+"\n") + gap
		if cost > room {
			break
		}
		room -= cost
		l.in = true
	}
	return room
}

// told gives the lines that tell a message.
func told(m engine.ViewMessage) []toldLine {
	decoded, err := transcript.Decode(m.Format, m.JSON)
	if err != nil {
		return []toldLine{{text: fmt.Sprintf("- a message that cannot be read (entry %d)", m.Seq)}}
	}
	var lines []toldLine
	for _, p := range decoded.Parts {
		switch {
		case p.Kind == transcript.KindText && decoded.Role == transcript.RoleUser:
			lines = append(lines, toldLine{text: "- user: " + oneLine(p.Text, tailRequest), request: true})
		case p.Kind == transcript.KindText && decoded.Role == transcript.RoleAssistant:
			lines = append(lines, toldLine{text: "- agent: " + oneLine(p.Text, tailSaid)})
		case p.Kind == transcript.KindCall:
			lines = append(lines, toldLine{text: "- call " + oneLine(p.Name+" "+string(p.Args), tailCall)})
		}
	}
	return lines
}
