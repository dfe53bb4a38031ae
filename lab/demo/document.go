package main

import (
	"fmt"
	"strings"
)

// excerpt is how many lines of a section of the document are shown: enough of each to see what a reader gets.
var excerpt = map[string]int{
	"[TASK": 2, "[REFUSED": 4, "[NOW]": 4, "[CONVERSATION": 12, "[FILES": 4, "[CHECKS": 4, "[UNRESOLVED": 2,
}

// rows is how many rows a line of the document takes at most.
const rows = 3

// document prints the beginning of each section that tells what happened, with the number of lines left out.
func (d *demo) document(text string) {
	for section := range strings.SplitSeq(text, "\n---\n") {
		section = strings.TrimSpace(section)
		head, body, _ := strings.Cut(section, "\n")
		name, _, _ := strings.Cut(head, " ")
		most := excerpt[name]
		if most == 0 {
			continue
		}
		d.quoted(head, 1)
		lines := strings.Split(body, "\n")
		for _, l := range lines[:min(most, len(lines))] {
			d.quoted(folded(l, rows), rows)
		}
		if left := len(lines) - most; left > 0 {
			d.quoted(fmt.Sprintf("  … %d more lines", left), 1)
		}
	}
}
