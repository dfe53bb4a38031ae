package compaction

import (
	"regexp"
	"sync"
)

// lazy returns a pattern that is compiled when it is first asked for: every process of the command
// line carries this package along, and hardly any of them compacts.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
