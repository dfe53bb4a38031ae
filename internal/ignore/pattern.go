package ignore

import (
	"slices"
	"strings"
)

// anySteps is the step of a pattern that matches any number of steps of a path, also none.
const anySteps = "**"

// pattern is one line of a file of patterns (gitignore(5)).
type pattern struct {
	take bool     // it began with !: what matches is not ignored
	dir  bool     // it ended with a slash: only directories match
	base int      // how many steps the directory of its file has: it is about what follows them
	name string   // without a slash inside, it is about the last step of a path at any depth
	path []string // else it is about whole paths, step by step
}

// parse reads a line without its break. ok is false for one that holds no pattern.
func parse(line string, base int) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return pattern{}, false
	}
	line = trim(line)
	line, p.take = strings.CutPrefix(line, "!")
	line, p.dir = strings.CutSuffix(line, "/")
	p.base = base
	if line == "" {
		return pattern{}, false
	}
	if !strings.Contains(line, "/") {
		p.name = line
		return p, true
	}
	p.path = steps(strings.TrimPrefix(line, "/"))
	for i, step := range p.path {
		if len(step) > len(anySteps) && strings.Trim(step, "*") == "" {
			p.path[i] = anySteps // more stars say no more
		}
	}
	if last := len(p.path) - 1; p.path[last] == anySteps {
		p.path = append(p.path, "*") // a/** is about the contents of a, not about a
	}
	return p, true
}

// trim takes away the spaces at the end of a line, but for one with a \ before it.
func trim(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
		} else if line[i] == ' ' {
			continue
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// steps splits a pattern at its slashes. One in a [set] is part of the set, and one after a \ is a slash.
func steps(line string) []string {
	var all []string
	var step strings.Builder
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch width := setEnd(line[i:]); {
		case width > 0:
			step.WriteString(line[i : i+width])
			i += width - 1
		case c == '\\' && i+1 < len(line) && line[i+1] != '/':
			step.WriteString(line[i : i+2])
			i++
		case c == '\\' && i+1 < len(line): // the slash comes next
		case c == '/':
			all = append(all, step.String())
			step.Reset()
		default:
			step.WriteByte(c)
		}
	}
	return append(all, step.String())
}

// setEnd returns the length of the [set] at the start of a pattern, 0 if there is none.
func setEnd(pattern string) int {
	if pattern[0] != '[' {
		return 0
	}
	i := 1
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		i++
	}
	for first := true; i < len(pattern); first = false {
		if pattern[i] == ']' && !first {
			return i + 1
		}
		_, width := member(pattern[i:], 0)
		if width == 0 {
			return 0
		}
		i += width
	}
	return 0
}

// match reports whether a pattern is about a path, given by its steps from the root of the tree. Whether it
// is about a directory above is asked before, of that directory.
func (p *pattern) match(parts []string, dir bool) bool {
	switch {
	case p.dir && !dir:
		return false
	case p.path == nil:
		return wild(p.name, parts[len(parts)-1])
	}
	return matchSteps(p.path, parts[p.base:])
}

// matchSteps is wild for the steps of a path: the last ** is the only one that is tried again.
func matchSteps(pattern, parts []string) bool {
	p, n := 0, 0
	star, tried := -1, 0
	for n < len(parts) {
		if p < len(pattern) && pattern[p] == anySteps {
			star, tried = p, n
			p++
			continue
		}
		if p < len(pattern) && wild(pattern[p], parts[n]) {
			p++
			n++
			continue
		}
		if star < 0 {
			return false
		}
		tried++
		p, n = star+1, tried
	}
	return !slices.ContainsFunc(pattern[p:], func(step string) bool { return step != anySteps })
}
