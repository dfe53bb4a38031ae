package claudecode

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/changes/watch"
	"ctxledger.dev/internal/fault"
)

// maxWatches bounds the watched directories of one project: past it, subagents of further
// sessions are seen by polling.
const maxWatches = 256

// watching keeps the watches that tell of a project directory. While the directory does not
// exist, it watches the nearest one above it.
type watching struct {
	dir     string // the project directory
	log     *slog.Logger
	watcher *watch.Watcher // nil: the system has none to give
	at      string         // the directory that is watched for dir: itself or one above it
	below   map[string]bool
	blind   bool // some directory could not be watched
}

// start begins to watch, if possible.
func (w *watching) start() {
	if w.watcher == nil {
		watcher, err := watch.New()
		if err != nil {
			w.log.Debug("no file watcher: polling", "err", err)
			return
		}
		w.watcher = watcher
	}
	w.attach()
}

// healthy reports whether every change leads to an event.
func (w *watching) healthy() bool { return w.watcher != nil && w.at != "" && !w.blind }

// events returns the channel of events, nil without a watcher.
func (w *watching) events() <-chan watch.Event {
	if w.watcher == nil {
		return nil
	}
	return w.watcher.Events()
}

// attach watches the project directory, or the nearest existing one above it. A directory that
// appears while this happens is found by looking again.
func (w *watching) attach() {
	if w.watcher == nil {
		return
	}
	for range 16 { // deeper than any configuration directory
		at, err := w.nearest()
		if err != nil {
			w.log.Debug("directory cannot be watched: polling", "dir", w.dir, "err", err)
			at = ""
		}
		if w.at != at && w.at != "" {
			w.watcher.Remove(w.at)
		}
		w.at = at
		if at == "" || at == w.dir || !exists(childToward(at, w.dir)) {
			return
		}
	}
}

// nearest adds a watch for the project directory or the nearest one above it that exists.
func (w *watching) nearest() (string, error) {
	for dir := w.dir; ; dir = filepath.Dir(dir) {
		err := w.watcher.Add(dir)
		if err == nil {
			return dir, nil
		}
		if !fault.Is(err, fault.NotFound) || dir == filepath.Dir(dir) {
			return "", err
		}
	}
}

// watchBelow watches the directories beside session files in which those of subagents appear.
func (w *watching) watchBelow() {
	w.blind = false
	if w.watcher == nil || w.at != w.dir {
		return
	}
	entries, _ := os.ReadDir(w.dir) // gone again: an event tells
	there := map[string]bool{}
	for _, e := range entries {
		if e.IsDir() {
			session := filepath.Join(w.dir, e.Name())
			there[session] = true
			there[filepath.Join(session, subagentsDir)] = true
		}
	}
	for dir := range w.below {
		if !there[dir] {
			delete(w.below, dir)
		}
	}
	for _, e := range entries {
		if e.IsDir() {
			w.watchSession(filepath.Join(w.dir, e.Name()))
		}
	}
}

// watchSession watches the directory beside one session's file, and that of its subagents.
func (w *watching) watchSession(session string) {
	for _, dir := range []string{session, filepath.Join(session, subagentsDir)} {
		if !exists(dir) {
			delete(w.below, dir)
			continue
		}
		if len(w.below) >= maxWatches && !w.below[dir] {
			w.blind = true
			return
		}
		if err := w.watcher.Add(dir); err != nil {
			w.blind = w.blind || !fault.Is(err, fault.NotFound)
			continue
		}
		if w.below == nil {
			w.below = map[string]bool{}
		}
		w.below[dir] = true
	}
}

// holds reports whether a session file belongs to the project directory.
func (w *watching) holds(path string) bool {
	parent := filepath.Dir(path)
	return parent == w.dir ||
		filepath.Base(parent) == subagentsDir && filepath.Dir(filepath.Dir(parent)) == w.dir
}

// concerns reports whether a path can be a directory whose coming or going matters.
func (w *watching) concerns(path string) bool {
	return path == w.dir || inside(path, w.dir) || filepath.Dir(path) == w.dir ||
		filepath.Base(path) == subagentsDir
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

// inside reports whether a path lies below a directory. Both are clean and absolute.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// childToward returns the entry of dir that leads to a path below it.
func childToward(dir, path string) string {
	rel, _ := filepath.Rel(dir, path) // cannot fail: path lies below dir
	name, _, _ := strings.Cut(rel, string(filepath.Separator))
	return filepath.Join(dir, name)
}
