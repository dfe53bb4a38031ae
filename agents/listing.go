package agents

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/agents/sessionfile"
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
	for f.enterNew(there) && f.nested { // what appeared before the one above it was watched gave no event
		clear(there)
	}
	for dir := range f.dirs {
		if !there[dir] {
			f.leave(dir)
			f.drop(func(path string) bool { return inside(dir, path) })
		}
	}
}

// enterNew begins to watch and scans the directories that were not known, notes all in there, and reports whether some
// were new.
func (f *follower) enterNew(there map[string]bool) (some bool) {
	for _, dir := range f.projects() {
		there[dir] = true
		if _, known := f.dirs[dir]; known {
			continue
		}
		if !f.enter(dir) {
			f.log.Warn("too many project directories: not followed", "dir", dir, "limit", maxDirs)
			return false
		}
		some = true
		f.scanDir(dir, f.o.Env.Now().Add(-recent))
	}
	return some
}

// projects returns the directories below the base that can hold sessions of the trees.
func (f *follower) projects() []string {
	return slices.DeleteFunc(f.adapter.Dirs(f.o.Env, f.trees, f.unread), func(dir string) bool {
		return dir != f.base && !inside(f.base, dir)
	})
}

// findTrees looks which trees are followed. Sessions that ran elsewhere may have run in one that is new.
func (f *follower) findTrees() {
	trees := workspace.Trees(f.o.Env, f.o.Workspace)
	f.known = slices.Clone(trees)
	trees = slices.DeleteFunc(trees, f.skips)
	if slices.Equal(trees, f.trees) {
		return
	}
	f.trees = trees
	for path := range f.foreign {
		delete(f.seen, path)
		if info, err := f.stat(path); err == nil && info.ModTime().After(f.o.Env.Now().Add(-recent)) {
			f.due[path] = stamp{info.Size(), info.ModTime()}
		}
	}
	clear(f.foreign)
}

// skips reports whether the sessions of a tree are left alone now.
func (f *follower) skips(tree string) bool { return f.o.Skip != nil && f.o.Skip(tree) }

// obey lists again if a tree is left alone that was not, or is not that was: configurations change.
func (f *follower) obey() {
	if f.only == "" && f.o.Skip != nil && !slices.Equal(slices.DeleteFunc(slices.Clone(f.known), f.o.Skip), f.trees) {
		f.list()
	}
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
	files, err := f.files(dir, "")
	if err != nil {
		f.log.Warn("session files cannot be listed", "dir", dir, "err", err)
		return
	}
	there := make(map[string]bool, len(files))
	fresh := 0
	for _, file := range files { // the newest first
		there[file.path] = true
		isRecent := file.modified.After(f.o.Env.Now().Add(-recent))
		if fresh < maxWatches && isRecent && !f.adapter.Identify(file.path, "").Subagent {
			fresh++
			f.watchSession(f.sessionOf(file.path))
		}
		f.note(file.path, file.stamp, since)
	}
	f.drop(func(path string) bool {
		parent, _ := f.place(path)
		return parent == dir && !there[path]
	})
}

// scanSession is scan for the subagents of one session.
func (f *follower) scanSession(session string) {
	f.watchSession(session)
	files, _ := f.files(filepath.Dir(session), filepath.Base(session)) // none if it is gone since
	for _, file := range files {
		f.note(file.path, file.stamp, time.Time{})
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
	maps.DeleteFunc(f.logged, func(path string, _ fault.Code) bool { return gone(path) })
	maps.DeleteFunc(f.targets, func(path, _ string) bool { return gone(path) })
	maps.DeleteFunc(f.heads, func(path string, _ sessionfile.About) bool { return gone(path) })
	maps.DeleteFunc(f.foreign, func(path string, _ bool) bool { return gone(path) })
}

// maxFiles bounds a list of session files.
const maxFiles = 10_000

// listed is a session file as it was when it was listed.
type listed struct {
	path string
	stamp
}

// files lists the session files of a directory, those of subagents too, or only those of the subagents of one session,
// newest first and at most the 10,000 newest. A directory that does not exist has none. Errors: denied.
func (f *follower) files(dir, session string) (files []listed, err error) {
	for d := range f.below(dir, session) {
		entries, err := d.Entries()
		switch {
		case err != nil && d.Path != dir:
			f.unread(d.Path, err)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, sessionfile.FileError(dir, err)
		case filepath.Dir(d.Path) != dir: // that of a session has none
			files = append(files, f.sessionFiles(d.Path, entries, d.Path != dir)...)
		}
	}
	slices.SortFunc(files, func(a, b listed) int {
		return cmp.Or(b.modified.Compare(a.modified), strings.Compare(a.path, b.path))
	})
	return files[:min(len(files), maxFiles)], nil
}

// unread logs, once, why a directory is not read, unless it is gone.
func (f *follower) unread(path string, why error) {
	if !f.told[path] && !errors.Is(why, fs.ErrNotExist) {
		f.told[path] = true
		f.log.Warn("directory not read", "dir", path, "err", why)
	}
}

// sessionFiles returns the session files among the entries of a directory, or only those of subagents.
func (f *follower) sessionFiles(dir string, entries []fs.DirEntry, subagents bool) (files []listed) {
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !f.adapter.IsSession(e.Name()) || sessionfile.Superseded(entries, e.Name()) ||
			subagents && !f.adapter.Identify(path, "").Subagent {
			continue
		}
		if info, err := f.stat(path); err == nil && info.Mode().IsRegular() { // else it is gone since
			files = append(files, listed{path, stamp{info.Size(), info.ModTime()}})
		}
	}
	return files
}

// stat returns what a session file is like. One that is a link is looked at where that leads, unless that is named like no
// session file, or known by another name. Errors: those of the system and of safefs.Target.
func (f *follower) stat(path string) (fs.FileInfo, error) {
	real, info, err := safefs.Target(path)
	if err != nil {
		if info != nil { // else it is gone
			f.logOnce(path, fault.CodeOf(err), err)
		}
		return nil, err
	}
	if delete(f.targets, path); real == path {
		return info, nil
	}
	ours, _ := f.holds(real)
	for _, other := range f.targets {
		ours = ours || other == real
	}
	if ours || f.only != "" || !f.adapter.IsSession(filepath.Base(real)) {
		return nil, fs.ErrExist
	}
	f.targets[path] = real
	return info, nil
}
