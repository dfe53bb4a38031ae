package ignore

import (
	"strings"
	"testing"
)

// slowly is wild as one would define it: a star matches nothing, or one byte and then itself again.
func slowly(pattern, name string) bool {
	switch {
	case pattern == "":
		return name == ""
	case pattern[0] == '*':
		return slowly(pattern[1:], name) || name != "" && slowly(pattern, name[1:])
	case name == "":
		return false
	}
	width := one(pattern, name[0])
	return width > 0 && slowly(pattern[width:], name[1:])
}

// stepsSlowly is matchSteps likewise.
func stepsSlowly(pattern, parts []string) bool {
	switch {
	case len(pattern) == 0:
		return len(parts) == 0
	case pattern[0] == anySteps:
		return stepsSlowly(pattern[1:], parts) || len(parts) > 0 && stepsSlowly(pattern, parts[1:])
	}
	return len(parts) > 0 && slowly(pattern[0], parts[0]) && stepsSlowly(pattern[1:], parts[1:])
}

// FuzzMatchingIsAsDefined: matching in bounded time gives what trying everything gives.
func FuzzMatchingIsAsDefined(f *testing.F) {
	f.Add("a*b*c", "aXbYc")
	f.Add("**/a/**/b", "x/a/y/b")
	f.Add("*a*/**/[!b]?", "aa/x/cc")
	f.Add("[[:alpha:]-]*\\*", "-x*")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern) > 16 || len(name) > 16 {
			return
		}
		if got, want := wild(pattern, name), slowly(pattern, name); got != want {
			t.Errorf("wild(%q, %q) = %v", pattern, name, got)
		}
		p, parts := steps(pattern), strings.Split(name, "/")
		if got, want := matchSteps(p, parts), stepsSlowly(p, parts); got != want {
			t.Errorf("matchSteps(%q, %q) = %v", p, parts, got)
		}
	})
}
