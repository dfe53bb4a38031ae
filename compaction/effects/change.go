package effects

import (
	"strings"
	"unicode"

	"ctxledger.dev/internal/chars"
)

// Edit is one edit of a file: Old became New.
type Edit struct {
	Path, Old, New string
	Whole          bool // New is the whole file; Old is what it held before, or empty where that is not known
	All            bool // every occurrence of Old was replaced
	// Created says of a Whole edit that, to its tool, the file did not exist before. A Whole edit of a path that did
	// not come up before counts as such, too: call Known first where the tool said otherwise.
	Created bool
}

// Change describes an edit by names. Each list is in the order of the text and without repeats.
type Change struct {
	Added, Removed []string // declared by only one of the texts
	Changed        []string // declared by both, with different bodies
	First          string   // the first new line that says something, where the lists are empty
}

// Of describes an edit by what its own texts show.
func Of(e Edit) Change {
	var c Change
	before, after := bodies(e.Path, e.Old), bodies(e.Path, e.New)
	for _, name := range after.names {
		switch body, was := before.of[name]; {
		case !was:
			c.Added = append(c.Added, name)
		case body != after.of[name]:
			c.Changed = append(c.Changed, name)
		}
	}
	for _, name := range before.names {
		if _, is := after.of[name]; !is {
			c.Removed = append(c.Removed, name)
		}
	}
	c.Added, c.Removed, c.Changed = capped(c.Added), capped(c.Removed), capped(c.Changed)
	if len(c.Added)+len(c.Removed)+len(c.Changed) == 0 {
		c.First = firstNew(e.Old, e.New)
	}
	return c
}

func capped(names []string) []string { return names[:min(len(names), maxNames)] }

// declared holds the names that a text declares, and the text from each to the next.
type declared struct {
	names []string
	of    map[string]string
}

func bodies(file, text string) declared {
	text = text[:min(len(text), maxText)]
	list := declarations(file, text)
	d := declared{of: make(map[string]string, len(list))}
	for i, one := range list {
		end := len(text)
		if i+1 < len(list) {
			end = list[i+1].at
		}
		if _, again := d.of[one.name]; again {
			continue // of a name declared twice the first body counts: joining them could take quadratic time
		}
		d.names = append(d.names, one.name)
		d.of[one.name] = strings.TrimSpace(text[one.at:end])
	}
	return d
}

const (
	minFirst = 12 // characters
	maxFirst = 90
)

// firstNew returns the first line of after that is not in before and says something.
func firstNew(before, after string) string {
	had := make(map[string]bool)
	for line := range strings.SplitSeq(before[:min(len(before), maxText)], "\n") {
		had[strings.TrimSpace(line)] = true
	}
	for line := range strings.SplitSeq(after[:min(len(after), maxText)], "\n") {
		line = strings.TrimSpace(line)
		if !had[line] && says(line) {
			return chars.Short(chars.Line(line), maxFirst)
		}
	}
	return ""
}

// says reports whether a line has enough characters, and a letter among them.
func says(line string) bool {
	n := 0
	letter := false
	for _, r := range line {
		n++
		letter = letter || unicode.IsLetter(r)
		if n >= minFirst && letter {
			return true
		}
	}
	return false
}
