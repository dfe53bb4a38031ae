// Package filetext compares what tools print of files: lines that are in another text need not be shown again.
//
// Start at Plain and Within. Texts are compared exactly, but for the numbers in front of lines, which the tool adds, and
// for blank lines around the whole, which hosts cut off.
package filetext

import "strings"

// Plain returns a printed text without the numbers in front of its lines, as `cat -n`, `nl` and the reading tools of agents
// print them. A text without a number in front of each line stays as it is, and so does one that is not numbered.
func Plain(text string, numbered bool) string {
	if !numbered {
		return text
	}
	var b strings.Builder
	last := -1
	for rest := text; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		n, bare, ok := numberOf(line)
		switch {
		case ok && (last < 0 || n == last+1):
			last = n
		case last >= 0 && strings.TrimSpace(line) == "": // nl leaves the number out
			bare = ""
		case last >= 0 && strings.HasPrefix(line, reminder):
			return b.String()
		default:
			return text
		}
		b.WriteString(bare + "\n")
		rest = after
	}
	return b.String()
}

// First returns the number in front of the first line of what a tool printed; 0: there is none.
func First(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	n, _, _ := numberOf(line)
	return n
}

// reminder begins what Claude Code adds behind some files.
const reminder = "<system-reminder>"

// numberOf takes the number from a line.
func numberOf(line string) (n int, bare string, ok bool) {
	line = strings.TrimLeft(line, " ")
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || digits > 9 {
		return 0, "", false
	}
	for _, c := range line[:digits] {
		n = 10*n + int(c-'0')
	}
	for _, separator := range []string{"\t", "→"} {
		if bare, ok = strings.CutPrefix(line[digits:], separator); ok {
			return n, bare, true
		}
	}
	return 0, "", false
}

// Bare returns a text without blank lines around it, as hosts pass on what commands print.
func Bare(text string) string {
	for {
		line, rest, more := strings.Cut(text, "\n")
		if !more || strings.TrimSpace(line) != "" {
			return strings.TrimRight(text, " \t\r\n")
		}
		text = rest
	}
}

// Lines says which lines of a text another one is, counted from 1. The zero value: all of it.
type Lines struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Within reports whether the lines of one text are among those of another, one behind the other. An empty text is no part.
func Within(part, whole string) bool {
	part = Bare(part)
	return part != "" && strings.Contains("\n"+strings.TrimRight(whole, " \t\r\n")+"\n", "\n"+part+"\n")
}
