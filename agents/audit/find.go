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
	seen     map[string]bool            // directories, by their paths without links
	files    map[[2]int64][]fs.FileInfo // those that were found, by their lengths and when they were changed
	trees    []*safefs.Tree             // of the directories, in which the files are opened
	skipped  int                        // files in directories that are no session files of an agent known here
	failed   []Failure
	// unfollowed are links in directories that lead to what is not the user's, or to nothing that is read.
	unfollowed []Failure
}

// path finds what a path names: a session file, or all those below a directory.
func (s *search) path(ctx context.Context, name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		s.fail(name, err)
	case info.IsDir():
		return s.dir(ctx, name, safefs.Open)
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

// dir finds the session files below a directory. No link is followed that replaces a file or directory meanwhile.
func (s *search) dir(ctx context.Context, root string, open func(string) (*safefs.Tree, error)) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		s.fail(root, err)
		return nil
	}
	if s.seen[real] {
		return nil
	}
	tree, err := open(root)
	if err != nil {
		s.fail(root, err)
		return nil
	}
	s.trees = append(s.trees, tree)
	return s.below(ctx, directory{tree, root, real}, ".")
}

// directory is one that is searched.
type directory struct {
	*safefs.Tree
	root, real string // its path, and that without links
}

// below finds those in a directory of a tree, unless it was searched before, by a link.
func (s *search) below(ctx context.Context, tree directory, dir string) error {
	real := filepath.Join(tree.real, dir)
	if s.seen[real] {
		return nil
	}
	s.seen[real] = true
	entries, err := tree.ReadDir(dir)
	if err != nil {
		s.fail(filepath.Join(tree.root, dir), err)
	}
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			err = s.below(ctx, tree, at)
		case e.Type()&fs.ModeSymlink != 0:
			err = s.link(ctx, filepath.Join(tree.root, at))
		case e.Type().IsRegular() && s.isSession(e.Name()) && !sessionfile.Superseded(entries, e.Name()):
			err = s.listed(tree, at, e)
		default:
			err = nil
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// link finds what a link in a directory leads to.
func (s *search) link(ctx context.Context, name string) error {
	real, info, err := safefs.Target(name)
	switch {
	case err != nil:
		if info == nil || info.IsDir() || s.isSession(name) {
			s.unfollowed = append(s.unfollowed, failure(name, err))
		}
	case info.IsDir():
		return s.dir(ctx, name, safefs.OpenTargetTree)
	case s.isSession(name) && !s.isSession(real):
		s.unfollowed = append(s.unfollowed, Failure{name, "it is a link to what is named like no session file"})
	case s.isSession(name):
		agent, err := s.file(name, info.Size(), func() (*os.File, error) { return opened(safefs.OpenTarget(name)) })
		switch {
		case err != nil:
			s.fail(name, err)
		case !s.reads(agent):
			s.unfollowed = append(s.unfollowed, Failure{name, "it is " + agent.Label()})
		}
	}
	return s.full()
}

// listed takes in a file of a directory.
func (s *search) listed(tree directory, at string, e fs.DirEntry) error {
	name := filepath.Join(tree.root, at)
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
	return slices.ContainsFunc(s.adapters, func(a sessionfile.Adapter) bool { return a.IsSession(filepath.Base(name)) })
}

// file looks whose a file is, and keeps it if its agent is known. One that has several names is kept once.
func (s *search) file(name string, size int64, open func() (*os.File, error)) (sessionfile.Agent, error) {
	f, err := open()
	if err != nil {
		return sessionfile.Unknown, err
	}
	defer f.Close() // opened for reading
	info, err := f.Stat()
	if err != nil {
		return sessionfile.Unknown, err
	}
	all, err := sessionfile.Unpacked(f)
	if err != nil {
		return sessionfile.Unknown, err
	}
	agent, err := sessionfile.DetectFile(name, all)
	if err != nil {
		return agent, err
	}
	for _, a := range s.adapters {
		if a.Agent == agent && !s.known(info) {
			s.found = append(s.found, source{path: name, size: size, from: a, open: open})
		}
	}
	return agent, nil
}

// known reports whether a file was found before, by another name, and notes it.
func (s *search) known(info fs.FileInfo) bool {
	key := [2]int64{info.Size(), info.ModTime().UnixNano()}
	alike := s.files[key]
	if slices.ContainsFunc(alike, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
		return true
	}
	s.files[key] = append(alike, info)
	return false
}

// reads reports whether there is an adapter for an agent.
func (s *search) reads(agent sessionfile.Agent) bool {
	return slices.ContainsFunc(s.adapters, func(a sessionfile.Adapter) bool { return a.Agent == agent })
}

// fail notes what could not be read.
func (s *search) fail(name string, err error) {
	s.failed = append(s.failed, failure(name, err))
}

func failure(name string, err error) Failure {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // the failure names the path
	}
	return Failure{name, err.Error()}
}

// full returns an error when there are too many files.
func (s *search) full() error {
	if len(s.found) <= maxFiles {
		return nil
	}
	return fault.New(fault.TooLarge, "audit.find", "more than %d session files", maxFiles).
		WithHint("name the directories of some projects")
}
