package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/chars"
)

// Again is what is said behind the total where it is sent several times: " ×2".
func (c Cost) Again() string {
	if c.Times < 2 {
		return ""
	}
	return " ×" + strconv.Itoa(c.Times)
}

// Marks are what is said where the total is not all that an operation sends: "×2", "tools". Legend explains them.
func (c Cost) Marks() (marks []string) {
	if c.Times > 1 {
		marks = append(marks, strings.TrimSpace(c.Again()))
	}
	if c.Tools {
		marks = append(marks, "tools")
	}
	return marks
}

// maxOpen is how long names are together that a line of Legend has, in characters.
const maxOpen = 400

// Legend explains what figures of operations leave open, in lines, each only where one has its mark: "×" a loop, "tools", "+" what
// other operations write, "?" references that lead nowhere; and which files are attached.
func Legend(costs ...Cost) (lines []string) {
	var times, later, lost, media []string
	tools, grows, turns := false, false, -1
	for _, c := range costs {
		later, lost, media = append(later, c.Later...), append(lost, c.Lost...), append(media, c.Media...)
		tools, grows = tools || c.Tools, grows || c.Grows
		if c.Times > 1 {
			times = append(times, strings.TrimSpace(c.Again()))
		}
		switch {
		case !c.Tools:
		case turns < 0:
			turns = c.Turns
		case turns != c.Turns:
			turns = 0
		}
	}
	if grows {
		later = append(later, "the text before it")
	}
	if len(times) > 0 {
		lines = append(lines, listed(times)+": how often a loop runs the step; all of it is sent each time")
	}
	if tools {
		limit := "tools-turns-max limits how often"
		if turns > 0 {
			limit = fmt.Sprintf("at most %s", chars.Plural(turns, "time"))
		}
		lines = append(lines, "tools: after each call of tools all is sent again, with what they returned; "+limit)
	}
	if len(later) > 0 {
		lines = append(lines, "+ not in the document yet, and not counted: what earlier steps write or change in "+listed(later))
	}
	if len(lost) > 0 {
		lines = append(lines, "? no such block is known when the step runs, so nothing is counted for it: "+listed(lost))
	}
	if len(media) > 0 {
		lines = append(lines, "attached, and not counted: "+listed(media))
	}
	return lines
}

// listed returns names, each once, as far as a line has room.
func listed(names []string) string {
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return chars.Short(strings.Join(once, ", "), maxOpen)
}
