// Package ignore says which paths of a tree git ignores: by .gitignore files in every directory and by
// .git/info/exclude.
//
// Start at New. Rules read a directory's file when a path below it is asked for, once; who wants to see
// changed files makes new Rules. A directory that is ignored is ignored with all its contents, as git
// does it: nothing below can be taken out again.
//
// Patterns match as those of git do, byte by byte; where git takes a** in front of a slash for more than its
// documentation says, the documentation holds.
//
// The package deliberately reads nothing outside the tree: neither the user's own excludes file nor,
// in a linked worktree, the exclude file of the repository.
package ignore

import (
	"path"
	"strings"
)

const (
	// FileSize is how large a file of patterns may be, in bytes; a larger one is not looked at.
	FileSize = 1 << 20
	// maxPatterns bounds the patterns of one file: each is tried on every path.
	maxPatterns = 5_000
)

// Rules are those of one tree. They are not safe for concurrent use.
type Rules struct {
	read    func(name string) []byte
	files   map[string][]pattern // by directory, "" for the root: those of its own file
	ignored map[string]bool      // directories that were asked for
}

// New returns the rules of a tree. read returns the content of a file by its path with slashes, relative
// to the tree, or nil.
func New(read func(name string) []byte) *Rules {
	r := &Rules{read: read, files: map[string][]pattern{}, ignored: map[string]bool{}}
	r.files[""] = append(r.load(".git/info/exclude", 0), r.load(".gitignore", 0)...)
	return r
}

// Ignored reports whether git ignores a path, given with slashes and relative to the tree.
func (r *Rules) Ignored(name string, dir bool) bool {
	name = path.Clean(name)
	if name == "." {
		return false
	}
	if known, ok := r.ignored[name]; ok && dir {
		return known
	}
	found := r.Ignored(path.Dir(name), true) || r.excluded(name, dir)
	if dir {
		r.ignored[name] = found
	}
	return found
}

// excluded asks the patterns that count for a path, the last word first.
func (r *Rules) excluded(name string, dir bool) bool {
	parts := strings.Split(name, "/")
	above := name
	for i := len(parts) - 1; i >= 0; i-- {
		above = above[:max(strings.LastIndexByte(above, '/'), 0)]
		patterns := r.of(above, i)
		for j := len(patterns) - 1; j >= 0; j-- {
			if p := &patterns[j]; p.match(parts, dir) {
				return !p.take
			}
		}
	}
	return false
}

// of returns the patterns of the own file of a directory so many levels deep.
func (r *Rules) of(dir string, steps int) []pattern {
	patterns, ok := r.files[dir]
	if !ok {
		patterns = r.load(dir+"/.gitignore", steps)
		r.files[dir] = patterns
	}
	return patterns
}

// load reads a file of patterns of a directory so many levels deep.
func (r *Rules) load(name string, steps int) []pattern {
	content := strings.TrimPrefix(string(r.read(name)), "\ufeff")
	var patterns []pattern
	for line := range strings.Lines(content) {
		if len(patterns) == maxPatterns {
			break
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if p, ok := parse(line, steps); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns
}
