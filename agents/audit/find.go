package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/registry"
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
	stamp
	named bool // by the person, without the directory that it is in
	from  sessionfile.Adapter
	open  func() (*os.File, error)
}

// search finds session files.
type search struct {
	adapters []sessionfile.Adapter
	found    []source
	files    map[[2]int64][]fs.FileInfo // those that were found, by their lengths and when they were changed
	skipped  []Failure                  // files in directories that are no session files of an agent known here
	failed   []Failure
	// unread is what in directories is not read: links to what is not the user's, or to nothing that is read, and files that
	// are only named like sessions.
	unread []Failure
}

// File is a session file that was found.
type File struct {
	Path string
	Size int64 // bytes
}

// Find lists the session files below directories, each once, and says what there is not read. Errors: those of Run.
func Find(ctx context.Context, dirs []string) ([]File, Audit, error) {
	s := newSearch()
	for _, dir := range dirs {
		if err := s.dir(ctx, dir); err != nil {
			return nil, Audit{}, err
		}
	}
	s.sort()
	files := make([]File, len(s.found))
	for i, f := range s.found {
		files[i] = File{f.path, f.size}
	}
	out := Audit{Looked: dirs, Skipped: s.skipped, Failed: s.failed, Unfollowed: s.unread}
	out.Files = len(files)
	return files, out, nil
}

func newSearch() search {
	return search{adapters: agents.Adapters(), files: map[[2]int64][]fs.FileInfo{}}
}

// sort puts what was found in the order of the paths, and completes the stamps of sessions: what one's file says of a subagent
// counts where that has no file of its own.
func (s *search) sort() {
	slices.SortFunc(s.found, func(a, b source) int { return strings.Compare(a.path, b.path) })
	subagents := map[string]uint64{} // by directory
	for _, f := range s.found {
		if f.from.Identify(f.path, "").Subagent {
			dir := filepath.Dir(f.path)
			subagents[dir] = digest(fmt.Sprintln(subagents[dir], f.path))
		}
	}
	for i := range s.found {
		f := &s.found[i]
		below := filepath.Join(strings.TrimSuffix(f.path, filepath.Ext(f.path)), f.from.Subagents)
		f.Subagents = subagents[below] ^ subagents[filepath.Dir(f.path)]
	}
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
		what, err := s.file(name, func() (*os.File, error) { return opened(safefs.OpenFile(name)) })
		switch {
		case err != nil:
			s.fail(name, err)
		case what != "":
			s.failed = append(s.failed, Failure{name, cmp.Or(s.why(name), what)})
		case len(s.found) > 0 && s.found[len(s.found)-1].path == name:
			s.found[len(s.found)-1].named = true
		}
	}
	return s.full()
}

// opened leaves away what a file is.
func opened(f *os.File, _ fs.FileInfo, err error) (*os.File, error) { return f, err }

// dir finds the session files below a directory, by the links that safefs.Walk follows.
func (s *search) dir(ctx context.Context, root string) error {
	for d := range safefs.Walk(root, math.MaxInt, nil) {
		if d.Err != nil && d.Link {
			s.unread = append(s.unread, failure(d.Path, d.Err))
			continue
		}
		entries, err := d.Entries()
		if err != nil {
			s.fail(d.Path, err)
		}
		for _, e := range entries {
			name := filepath.Join(d.Path, e.Name())
			switch why := s.why(name); {
			case e.IsDir() || sessionfile.Superseded(entries, e.Name()):
			case why != "":
				s.unread = append(s.unread, Failure{name, why})
			case s.isSession(name) && e.Type()&fs.ModeSymlink != 0:
				s.link(root, name)
			case s.isSession(name) && e.Type().IsRegular():
				if why := s.listed(root, name); why != "" {
					s.skipped = append(s.skipped, Failure{name, why})
				}
			}
			if err := cmp.Or(s.full(), ctx.Err()); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// why says why a file is not read that is named like a session; "" for others.
func (s *search) why(name string) (why string) {
	plain, packed := name, false
	for _, suffix := range []string{".gz", ".xz", ".bz2", ".zip", sessionfile.PackedSuffix} {
		if !packed {
			plain, packed = strings.CutSuffix(name, suffix)
		}
	}
	if packed && s.isSession(plain) && !s.isSession(name) {
		return "its compression is not supported: decompress it first"
	}
	for _, a := range s.adapters {
		if a.Unread != nil {
			why = cmp.Or(why, a.Unread(filepath.Base(name)))
		}
	}
	return why
}

// link finds the file that a link in a directory leads to. Those that lead to directories are followed by safefs.Walk.
func (s *search) link(root, name string) {
	real, info, err := safefs.Target(name)
	switch {
	case info == nil || info.IsDir():
	case err != nil:
		s.unread = append(s.unread, failure(name, err))
	case !s.isSession(real):
		s.unread = append(s.unread, Failure{name, "it links to a file whose name is not that of a session file"})
	default:
		if why := s.listed(root, name); why != "" {
			s.unread = append(s.unread, Failure{name, why})
		}
	}
}

// listed takes in a file below a directory, and says what it is if that is no session of an agent known here.
func (s *search) listed(root, name string) string {
	why, err := s.file(name, func() (*os.File, error) { return opened(safefs.OpenFound(root, name)) })
	if err != nil {
		s.fail(name, err)
	}
	return why
}

// isSession reports whether a file of this name can be a session of any agent.
func (s *search) isSession(name string) bool {
	return slices.ContainsFunc(s.adapters, func(a sessionfile.Adapter) bool { return a.IsSession(filepath.Base(name)) })
}

// file keeps a file if it is a session file that can be read, and says else what it is. One that has several names is kept
// once.
func (s *search) file(name string, open func() (*os.File, error)) (what string, err error) {
	f, err := open()
	if err != nil {
		return "", err
	}
	defer f.Close() // opened for reading
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	all, err := sessionfile.Unpacked(f)
	if err != nil {
		return "", err
	}
	a, err := sessionfile.DetectFile(registry.Sessions(), name, all)
	if err != nil {
		return "", err
	}
	if a.Decoder == nil {
		return "it is " + a.Label, nil
	}
	if !s.known(info) {
		s.found = append(s.found, source{path: name, size: info.Size(), from: a, open: open,
			stamp: stampOf(info.Size(), info.ModTime())})
	}
	return "", nil
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
		WithHint("pass the directories of individual projects")
}
