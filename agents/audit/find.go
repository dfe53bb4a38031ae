package audit

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// maxFiles bounds the session files of one audit: what is known of each is held in memory.
const maxFiles = 100_000

// source is a session file to read.
type source struct {
	path string
	size int64
	from sessionfile.Adapter
	open func() (*os.File, error)
}

// search finds session files.
type search struct {
	adapters []sessionfile.Adapter
	found    []source
	seen     map[string]bool // paths with links resolved
	trees    []*safefs.Tree  // of the directories, in which the files are opened
	skipped  int             // files in directories that are no session files of an agent known here
	failed   []Failure
}

// path finds what a path names: a session file, or all those below a directory.
func (s *search) path(ctx context.Context, name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		s.fail(name, err)
	case info.IsDir():
		return s.dir(ctx, name)
	case !info.Mode().IsRegular():
		s.failed = append(s.failed, Failure{name, "it is not a file"})
	default:
		agent, err := s.file(name, info.Size(), func() (*os.File, error) { return opened(safefs.OpenFile(name)) })
		switch {
		case err != nil:
			s.fail(name, err)
		case !s.reads(agent):
			s.failed = append(s.failed, Failure{name, "it is " + agent.Label()})
		}
	}
	return s.full()
}

// opened leaves away what a file is.
func opened(f *os.File, _ fs.FileInfo, err error) (*os.File, error) { return f, err }

// dir finds the session files below a directory. Links are not followed, nor is one that replaces a
// file or directory meanwhile.
func (s *search) dir(ctx context.Context, root string) error {
	tree, err := safefs.Open(root)
	if err != nil {
		s.fail(root, err)
		return nil
	}
	s.trees = append(s.trees, tree)
	return s.below(ctx, tree, root, ".")
}

// below finds those in a directory of a tree.
func (s *search) below(ctx context.Context, tree *safefs.Tree, root, dir string) error {
	entries, err := tree.ReadDir(dir)
	if err != nil {
		s.fail(filepath.Join(root, dir), err)
	}
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			err = s.below(ctx, tree, root, at)
		case e.Type().IsRegular() && s.isSession(e.Name()):
			err = s.listed(tree, root, at, e)
		default:
			err = nil
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// listed takes in a file of a directory.
func (s *search) listed(tree *safefs.Tree, root, at string, e fs.DirEntry) error {
	name := filepath.Join(root, at)
	info, err := e.Info()
	if err != nil {
		s.fail(name, err)
		return nil
	}
	agent, err := s.file(name, info.Size(), func() (*os.File, error) { return opened(tree.Open(at)) })
	switch {
	case err != nil:
		s.fail(name, err)
	case !s.reads(agent):
		s.skipped++
	}
	return s.full()
}

// close ends the reading of directories.
func (s *search) close() {
	for _, tree := range s.trees {
		_ = tree.Close() // only read
	}
}

// isSession reports whether a file of this name can be a session of any agent.
func (s *search) isSession(name string) bool {
	return slices.ContainsFunc(s.adapters, func(a sessionfile.Adapter) bool { return a.IsSession(name) })
}

// file looks whose a file is, and keeps it if its agent is known. A path that is named twice is kept once.
func (s *search) file(name string, size int64, open func() (*os.File, error)) (sessionfile.Agent, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return sessionfile.Unknown, err
	}
	f, err := open()
	if err != nil {
		return sessionfile.Unknown, err
	}
	defer f.Close() // opened for reading
	agent, err := sessionfile.DetectFile(name, f)
	if err != nil {
		return agent, err
	}
	for _, a := range s.adapters {
		if a.Agent == agent && !s.seen[real] {
			s.seen[real] = true
			s.found = append(s.found, source{path: name, size: size, from: a, open: open})
		}
	}
	return agent, nil
}

// reads reports whether there is an adapter for an agent.
func (s *search) reads(agent sessionfile.Agent) bool {
	return slices.ContainsFunc(s.adapters, func(a sessionfile.Adapter) bool { return a.Agent == agent })
}

// fail notes what could not be read.
func (s *search) fail(name string, err error) {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // the failure names the path
	}
	s.failed = append(s.failed, Failure{name, err.Error()})
}

// full returns an error when there are too many files.
func (s *search) full() error {
	if len(s.found) <= maxFiles {
		return nil
	}
	return fault.New(fault.TooLarge, "audit.find", "more than %d session files", maxFiles).
		WithHint("name the directories of some projects")
}
