package gitobject

import (
	"bytes"
	"context"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

const (
	// maxRef bounds HEAD and a ref, and maxRefs the file with many, in bytes.
	maxRef, maxRefs = 4 << 10, 16 << 20
	// maxCommits bounds how many commits are read on the way to the first.
	maxCommits = 5_000_000
)

// Root returns the commit with which the history of the current branch began, by first parents: a project that is merged
// into another keeps its root. It is "" for a repository without commits, and for a shallow clone, whose history begins
// anywhere. Errors: corrupt and others when the commits cannot be read.
func (s *Store) Root(ctx context.Context) (string, error) {
	if info, err := s.tree.Stat("shallow"); err != nil || info.Kind != safefs.Absent {
		return "", err
	}
	id := s.head()
	if id == "" {
		return "", nil
	}
	for range maxCommits {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		text, err := s.commit(id)
		if err != nil {
			return "", err
		}
		before := parent(text)
		if before == "" {
			return id, nil
		}
		id = before
	}
	return "", fault.New(fault.TooLarge, "gitobject.root", "a history of more than %d commits", maxCommits)
}

// head returns the newest commit of the current branch; "": there is none.
func (s *Store) head() string {
	at := strings.TrimSpace(string(s.tree.Read("HEAD", maxRef)))
	ref, is := strings.CutPrefix(at, "ref: ")
	if !is {
		return at
	}
	if id := strings.TrimSpace(string(s.tree.Read(ref, maxRef))); id != "" {
		return id
	}
	for line := range bytes.Lines(s.tree.Read("packed-refs", maxRefs)) {
		if id, name, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" ")); string(name) == ref {
			return string(id)
		}
	}
	return ""
}
