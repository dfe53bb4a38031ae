// Package ignore tells which paths of a tree git ignores: by .gitignore files in every directory and by
// .git/info/exclude.
//
// Start at New. Rules read a directory's file when a path below it is asked for, once; who wants to see
// changed files makes new Rules. A directory that is ignored is ignored with all that lies in it, as git
// does it: nothing below can be taken out again.
//
// The package deliberately reads nothing outside the tree: neither the user's own excludes file nor,
// in a linked worktree, the exclude file of the repository.
package ignore

import (
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
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
	files   map[string][]rule // by directory: the patterns of its own file
	ignored map[string]bool   // directories that were asked for
}

// rule is one pattern with the directory that it counts from.
type rule struct {
	pattern gitignore.Pattern
	domain  []string
	name    bool // it has no slash and so matches names
	depth   int  // of the paths that it can match, from domain; 0: any
}

// New returns the rules of a tree. read returns the content of a file by its path with slashes, relative
// to the tree, or nil.
func New(read func(name string) []byte) *Rules {
	r := &Rules{read: read, files: map[string][]rule{}, ignored: map[string]bool{}}
	r.files["."] = append(r.load(".git/info/exclude", nil), r.load(".gitignore", nil)...)
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
	parts := strings.Split(name, "/")
	found := r.Ignored(path.Dir(name), true) || r.excluded(parts, dir)
	if dir {
		r.ignored[name] = found
	}
	return found
}

// excluded asks the patterns that count for a path, the last word first.
func (r *Rules) excluded(parts []string, dir bool) bool {
	for i := len(parts) - 1; i >= 0; i-- {
		rules := r.of(parts[:i])
		for j := len(rules) - 1; j >= 0; j-- {
			if m := rules[j].match(parts, dir); m != gitignore.NoMatch {
				return m == gitignore.Exclude
			}
		}
	}
	return false
}

// of returns the patterns of one directory's own file.
func (r *Rules) of(dir []string) []rule {
	name := path.Join(append([]string{"."}, dir...)...)
	rules, ok := r.files[name]
	if !ok {
		rules = r.load(name+"/.gitignore", dir)
		r.files[name] = rules
	}
	return rules
}

// load reads a file of patterns.
func (r *Rules) load(name string, domain []string) []rule {
	content := strings.TrimPrefix(string(r.read(name)), "\ufeff")
	var rules []rule
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		if len(rules) == maxPatterns {
			break
		}
		rules = append(rules, parse(line, domain))
	}
	return rules
}

// parse reads one pattern.
func parse(line string, domain []string) rule {
	r := rule{pattern: gitignore.ParsePattern(line, domain), domain: domain}
	body := strings.TrimSuffix(strings.TrimRight(strings.TrimPrefix(line, "!"), " "), "/")
	r.name = !strings.Contains(body, "/")
	if !strings.Contains(body, "**") {
		r.depth = strings.Count(strings.TrimPrefix(body, "/"), "/") + 1
	}
	return r
}

// match asks the pattern about the path itself: directories above it have been asked for by then.
func (r rule) match(parts []string, dir bool) gitignore.MatchResult {
	if r.name {
		name := append(append([]string{}, r.domain...), parts[len(parts)-1])
		return r.pattern.Match(name, dir)
	}
	if r.depth > 0 && len(parts)-len(r.domain) != r.depth {
		return gitignore.NoMatch
	}
	return r.pattern.Match(parts, dir)
}
