package main

import (
	"fmt"
	"strings"

	model "ctxledger.dev/lab/scriptedmodel"
)

// played is a session that the model plays.
type played struct {
	name    string
	prompt  string
	script  model.Script
	resumed bool // it is also written as a new one
}

// sessions returns the two sessions: as many requests in each.
func sessions() []played {
	return []played{
		{name: "heavy in repeats", prompt: "Find out why some orders are short, and correct the prices.",
			script: repeating(), resumed: true},
		{name: "without repeats", prompt: "Correct the rounding in every part, one after the other, and check each.",
			script: advancing()},
	}
}

const (
	parts     = 16  // files of the workspace
	functions = 24  // of a file
	rounds    = 12  // of the session that repeats, four calls each
	everyone  = 420 // orders of all days
)

// call returns a call of a tool with one argument or more.
func call(tool string, input ...string) model.Call {
	c := model.Call{Tool: tool, Input: map[string]any{}}
	for i := 0; i < len(input); i += 2 {
		c.Input[input[i]] = input[i+1]
	}
	return c
}

// path names a file of the workspace.
func path(n int) string { return fmt.Sprintf("{{dir}}/src/part%02d.go", n) }

// repeating is a search for a mistake: all checks run after every step, the same four files are printed and read again, and
// an MCP server is asked for the orders of the same days. Twice it lists all of them, and the steps after that look up one
// that is in the middle of the list.
func repeating() (s model.Script) {
	for i := range rounds {
		s = append(s, model.Do("", call("Bash", "command", "sh check.sh")),
			model.Do("", call("Bash", "command", fmt.Sprintf("cat src/part%02d.go", i%4))))
		switch {
		case i%6 == 3:
			s = append(s, model.Do("All of them.", call("orders", "day", "all")),
				model.Do("", call("Bash", "command", "grep -c "+orderID(200+i)+" notes.txt || true")))
		case i%2 == 0:
			s = append(s, model.Do("", call("orders", "day", day(i%3))),
				model.Do("", call("Read", "file_path", path(4+i%4))))
		default:
			s = append(s, model.Do("", call("orders", "day", day(i%3))),
				model.Do("", call("Edit", "file_path", path(4+(i-1)%4), "old_string", line(4+(i-1)%4, i),
					"new_string", line(4+(i-1)%4, i)+" // in cents")))
		}
	}
	return append(s, model.Say("The prices are right."))
}

// advancing reads, changes and checks one file after the other.
func advancing() (s model.Script) {
	for i := range parts {
		s = append(s, model.Do(fmt.Sprintf("Part %d.", i), call("Read", "file_path", path(i))),
			model.Do("", call("Edit", "file_path", path(i), "old_string", line(i, i), "new_string", line(i, i)+" // in cents")),
			model.Do("", call("Bash", "command", fmt.Sprintf("sh check.sh src/part%02d.go", i))))
	}
	return append(s, model.Say("All parts are right."))
}

// files returns the workspace.
func files() map[string]string {
	all := map[string]string{"notes.txt": "orders that are short\n",
		"check.sh": `awk '/^func /{n++; print "ok " FILENAME ":" FNR " " substr($2, 1, 9)} ` +
			`END{print "PASS " n " checks"}' ${1:-src/*.go}` + "\n"}
	for n := range parts {
		all[fmt.Sprintf("src/part%02d.go", n)] = source(n)
	}
	return all
}

// line is what one function of a file does. No other one does the same.
func line(part, function int) string {
	return fmt.Sprintf("\treturn (pieces*%d + %d) * rate / %d", 13+part*functions+function, part*7+function*3, 100+part)
}

// source is a file of some five thousand characters.
func source(part int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package src\n\n// Part %d: prices in cents.\n", part)
	for f := range functions {
		fmt.Fprintf(&b, "\n// Price%02d%02d is what pieces of article %d cost at a rate in thousandths.\n"+
			"func Price%02d%02d(pieces, rate int) int {\n\tif pieces <= 0 {\n\t\treturn 0\n\t}\n%s\n}\n",
			part, f, part*1_000+f*17, part, f, line(part, f))
	}
	return b.String()
}
