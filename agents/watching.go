package agents

import (
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/changes/watch"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

const (
	// maxDirs bounds the project directories that are watched.
	maxDirs = 512
	// maxWatches bounds the directories of single sessions that are watched: those of the sessions that were
	// written to last.
	maxWatches = 256
)

// watching keeps the watches for session files. While the directory in which all of them lie does
// not exist, it watches the nearest one above it.
type watching struct {
	base      string // the directory of all project directories, or that of the one file
	nested    bool   // directories with session files appear inside of others
	subagents string // name of the directory with the files of a session's subagents; "": there is none
	log       *slog.Logger
	shared    *watch.Shared   // where the watcher comes from
	watcher   *watch.Watcher  // nil: before start
	at        string          // the directory that is watched for base: itself or one above it
	dirs      map[string]bool // project directories, and whether they are watched
	watched   []string        // directories of single sessions to be watched, the longest unused first
	blind     bool            // some directory could not be watched
}

// start begins to watch what can be watched; later it tries again what could not.
func (w *watching) start() {
	if w.watcher == nil {
		w.watcher = w.shared.New()
	}
	w.attach()
	w.blind = false
	for dir, watched := range w.dirs {
		if !watched {
			w.dirs[dir] = w.add(dir)
		}
	}
	for _, dir := range w.watched {
		w.add(dir) // adding again changes nothing
	}
}

// healthy reports whether every change leads to an event.
func (w *watching) healthy() bool { return w.watcher != nil && w.at != "" && !w.blind }

// events returns the channel of events, nil before start.
func (w *watching) events() <-chan watch.Event {
	if w.watcher == nil {
		return nil
	}
	return w.watcher.Events()
}

// attach watches the base, or the nearest existing directory above it. A directory that appears while this
// happens is found by looking again.
func (w *watching) attach() {
	if w.watcher == nil {
		return
	}
	for range 16 { // deeper than any configuration directory
		at, err := w.nearest()
		if err != nil {
			w.log.Debug("directory cannot be watched: polling", "dir", w.base, "err", err)
			at = ""
		}
		if w.at != at && w.at != "" {
			w.watcher.Remove(w.at)
		}
		w.at = at
		if at == "" || at == w.base || !exists(childToward(at, w.base)) {
			return
		}
	}
}

// nearest adds a watch for the base or the nearest directory above it that exists.
func (w *watching) nearest() (string, error) {
	for dir := w.base; ; dir = filepath.Dir(dir) {
		err := w.watcher.Add(dir)
		if err == nil {
			return dir, nil
		}
		if !fault.Is(err, fault.NotFound) || dir == filepath.Dir(dir) {
			return "", err
		}
	}
}

// add watches a directory, and reports whether that was possible. One that is gone again needs no watch.
func (w *watching) add(dir string) bool {
	if w.watcher == nil {
		return false
	}
	err := w.watcher.Add(dir)
	w.blind = w.blind || err != nil && !fault.Is(err, fault.NotFound)
	return err == nil
}

// enter watches a project directory, and reports whether it is within the limit.
func (w *watching) enter(dir string) bool {
	if len(w.dirs) >= maxDirs {
		return false
	}
	if w.dirs == nil {
		w.dirs = map[string]bool{}
	}
	w.dirs[dir] = w.add(dir)
	return true
}

// leave ends the watches of a project directory.
func (w *watching) leave(dir string) {
	delete(w.dirs, dir)
	w.watched = slices.DeleteFunc(w.watched, func(b string) bool {
		if !inside(dir, b) {
			return false
		}
		w.remove(b)
		return true
	})
	w.remove(dir)
}

func (w *watching) remove(dir string) {
	if w.watcher != nil {
		w.watcher.Remove(dir)
	}
}

// watchSession watches the directory of one session, and those of its subagents.
func (w *watching) watchSession(session string) {
	if w.watcher == nil || w.subagents == "" {
		return
	}
	var dirs []string
	for d := range w.below(filepath.Dir(session), filepath.Base(session)) {
		if d.Err == nil {
			dirs = append(dirs, d.Path)
		}
		if len(dirs) == maxWatches {
			break
		}
	}
	w.watched = slices.DeleteFunc(w.watched, func(dir string) bool {
		gone := (dir == session || inside(session, dir)) && !slices.Contains(dirs, dir)
		if gone {
			w.remove(dir)
		}
		return gone || slices.Contains(dirs, dir)
	})
	for _, dir := range dirs {
		w.add(dir)                         // adding again changes nothing
		w.watched = append(w.watched, dir) // also one that start has to try again
	}
	for len(w.watched) > maxWatches {
		w.remove(w.watched[0])
		w.watched = w.watched[1:]
	}
}

// below yields the directories of a session, its own and those with the files of its subagents, or without a name a project
// directory and those of all its sessions.
func (w *watching) below(dir, session string) iter.Seq[*safefs.Walked] {
	root, levels := dir, maxBelow-1
	if session != "" {
		root, levels = filepath.Join(dir, session), levels-1
		if _, _, err := safefs.Target(root); err != nil {
			return func(func(*safefs.Walked) bool) {} // the full listing reports the link
		}
	}
	return safefs.Walk(root, levels, func(at string) bool {
		if session == "" {
			_, at, _ = strings.Cut(at, "/")
		}
		first, _, _ := strings.Cut(at, "/")
		return w.subagents != "" && (at == "" || first == w.subagents)
	})
}

// maxBelow is how many names a path has at most below a project directory: SESSION/subagents/workflows/WORKFLOW/FILE, and
// some more.
const maxBelow = 12

// place returns the project directory that a path is in, and its names below that; none if it is in no project directory.
func (w *watching) place(path string) (dir string, names []string) {
	for range maxBelow {
		names = append(names, filepath.Base(path))
		path = filepath.Dir(path)
		if _, ours := w.dirs[path]; ours {
			slices.Reverse(names)
			return path, names
		}
	}
	return "", nil
}

// sessionOf returns the directory of the session that a path belongs to: the path of the session's file
// without the ending, or a path inside that directory. "": it belongs to none of the project directories.
func (w *watching) sessionOf(path string) string {
	dir, names := w.place(path)
	if len(names) == 0 {
		return ""
	}
	return filepath.Join(dir, strings.TrimSuffix(names[0], filepath.Ext(names[0])))
}

// holds reports whether a session file belongs to one of the project directories, and whether as that of a subagent.
func (w *watching) holds(path string) (ours, subagent bool) {
	_, names := w.place(path)
	subagent = len(names) > 2 && names[1] == w.subagents
	return len(names) == 1 || subagent, subagent
}

// opens reports whether a path can be a directory in which session files of subagents appear.
func (w *watching) opens(path string) bool {
	_, names := w.place(path)
	return w.subagents != "" && (len(names) == 1 || len(names) > 1 && names[1] == w.subagents)
}

// above reports whether the coming or going of a path can be that of the base or of a project directory.
func (w *watching) above(path string) bool {
	return path == w.base || inside(path, w.base) || filepath.Dir(path) == w.base || w.inner(path)
}

// inner reports whether a path is, or was, a directory inside of one of the project directories that can hold session
// files itself.
func (w *watching) inner(path string) bool {
	_, within := w.dirs[filepath.Dir(path)]
	_, known := w.dirs[path]
	return w.nested && within && (known || exists(path))
}

// close ends the watches.
func (w *watching) close() {
	if w.watcher != nil {
		_ = w.watcher.Close() // nothing is left to lose
	}
}

// exists reports whether a path leads to a directory.
func exists(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Type() == fs.ModeDir
}

// inside reports whether a path is below a directory. Both are clean and absolute.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// childToward returns the entry of dir that leads to a path below it.
func childToward(dir, path string) string {
	rel, _ := filepath.Rel(dir, path) // cannot fail: path is below dir
	name, _, _ := strings.Cut(rel, string(filepath.Separator))
	return filepath.Join(dir, name)
}
