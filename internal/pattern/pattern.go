// Package pattern compiles regular expressions when they are first needed: every process of the command line carries all
// packages along, and hardly any of them uses a given one.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function that compiles a pattern on its first call and returns it. It panics then if the pattern is
// invalid.
func Lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
