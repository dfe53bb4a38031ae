package shellcmd

import (
	"path"
	"strings"
)

// RunsIn reports whether a command line that was started in a directory stays there, and its calls of git use the repository
// that is found from there.
func RunsIn(dir, line string) bool {
	dir = path.Clean(dir)
	for _, part := range Segments(line) {
		if to, moves := strings.CutPrefix(part, "cd "); moves && seenFrom(dir, strings.Trim(to, ` "'`)) != dir ||
			strings.HasPrefix(part, "pushd ") {
			return false
		}
	}
	for _, call := range gitCalls(line) {
		at := dir
		for _, to := range call.Dirs {
			at = seenFrom(at, to)
		}
		if call.Foreign || call.Name == "init" || at != dir {
			return false
		}
	}
	return true
}

// seenFrom is a path as seen from a directory.
func seenFrom(dir, to string) string {
	if path.IsAbs(to) {
		return path.Clean(to)
	}
	return path.Join(dir, to)
}
