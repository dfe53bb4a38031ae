package claudecode

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/workspace"
)

// list looks which trees there are and which project directories can hold their sessions, and scans the
// directories that were not known.
func (f *follower) list() {
	if f.only != "" {
		return
	}
	f.reread = 0
	f.findTrees()
	there := map[string]bool{}
	for _, dir := range f.projects() {
		there[dir] = true
		if _, known := f.dirs[dir]; known {
			continue
		}
		if !f.enter(dir) {
			f.log.Warn("too many project directories: not followed", "dir", dir, "limit", maxDirs)
			break
		}
		f.scanDir(dir, f.o.Env.Now().Add(-recent))
	}
	for dir := range f.dirs {
		if !there[dir] {
			f.leave(dir)
			f.drop(func(path string) bool { return inside(dir, path) })
		}
	}
}

// findTrees looks which trees are followed. Sessions that ran elsewhere may have run in one that is new.
func (f *follower) findTrees() {
	trees := workspace.Trees(f.o.Env, f.o.Workspace)
	if f.o.Skip != nil {
		trees = slices.DeleteFunc(trees, f.o.Skip)
	}
	if slices.Equal(trees, f.trees) {
		return
	}
	f.trees = trees
	for path := range f.foreign {
		delete(f.seen, path)
		if info, err := os.Lstat(path); err == nil && info.ModTime().After(f.o.Env.Now().Add(-recent)) {
			f.due[path] = stamp{info.Size(), info.ModTime()}
		}
	}
	clear(f.foreign)
}

// projects returns the project directories that can hold sessions of the trees: those of the trees themselves
// first, then by name.
func (f *follower) projects() (dirs []string) {
	tree, err := safefs.Open(f.base)
	if err != nil {
		return nil // nothing is there yet
	}
	defer tree.Close() // only read
	entries, err := tree.ReadDir(".")
	if err != nil {
		return nil // as if nothing were there
	}
	slugs := make([]string, len(f.trees))
	for i, tree := range f.trees {
		slugs[i] = slug(tree)
	}
	for i := range slugs {
		if dir := filepath.Join(f.base, slugs[i]); exists(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	own := len(dirs)
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(dirs[:own], filepath.Join(f.base, e.Name())) && slices.ContainsFunc(slugs, func(s string) bool { return mayHold(e.Name(), s) }) {
			dirs = append(dirs, filepath.Join(f.base, e.Name()))
		}
	}
	return dirs
}

// ours reports whether a session that was started in a directory belongs to the ledger: the directory is the
// root of one of the trees, or one below it without a workspace of its own.
func (f *follower) ours(dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	dir = filepath.Clean(dir)
	if slices.Contains(f.trees, dir) {
		return true
	}
	return slices.ContainsFunc(f.trees, func(t string) bool { return inside(t, dir) }) &&
		slices.Contains(f.trees, workspace.Around(f.o.Env, dir))
}

// scan makes every file of the known directories due that is not as it was last seen. Files not seen before and
// not modified since the given time are only noted.
func (f *follower) scan(since time.Time) {
	if f.only != "" {
		f.touch(f.only)
		return
	}
	for dir := range f.dirs {
		f.scanDir(dir, since)
	}
}

// scanDir is scan for one project directory.
func (f *follower) scanDir(dir string, since time.Time) {
	files, err := Files(dir)
	if err != nil {
		f.log.Warn("session files cannot be listed", "dir", dir, "err", err)
		return
	}
	there := make(map[string]bool, len(files))
	fresh := 0
	for _, file := range files { // the newest first
		there[file.Path] = true
		if !file.Subagent && fresh < maxWatches && file.Modified.After(f.o.Env.Now().Add(-recent)) {
			fresh++
			f.watchSession(f.sessionOf(file.Path))
		}
		f.note(file.Path, stamp{file.Size, file.Modified}, since)
	}
	f.drop(func(path string) bool { return inside(dir, path) && !there[path] })
}

// scanSession is scan for the subagents of one session.
func (f *follower) scanSession(session string) {
	f.watchSession(session)
	tree, err := safefs.Open(filepath.Dir(session))
	if err != nil {
		return // gone since
	}
	defer tree.Close()                                                          // only read
	entries, _ := tree.ReadDir(path.Join(filepath.Base(session), subagentsDir)) // most sessions have none
	for _, file := range sessionFiles(filepath.Join(session, subagentsDir), entries) {
		f.note(file.Path, stamp{file.Size, file.Modified}, time.Time{})
	}
}

// note makes a file due that is not as it was last seen, unless it is new here and older than a time.
func (f *follower) note(path string, now stamp, since time.Time) {
	switch old, known := f.seen[path]; {
	case f.foreign[path]:
	case !known && now.modified.Before(since):
		f.seen[path] = now
	case !known || old != now:
		f.due[path] = now
	}
}

// drop forgets what was known of files that are gone.
func (f *follower) drop(gone func(path string) bool) {
	maps.DeleteFunc(f.seen, func(path string, _ stamp) bool { return gone(path) })
	maps.DeleteFunc(f.due, func(path string, _ stamp) bool { return gone(path) })
	maps.DeleteFunc(f.told, func(path string, _ fault.Code) bool { return gone(path) })
	maps.DeleteFunc(f.foreign, func(path string, _ bool) bool { return gone(path) })
}
