package config

import (
	"bytes"
	"sync"
	"time"

	"ctxledger.dev/internal/env"
)

// A Loader loads settings again when a file has changed, for programs that run for long. It is safe for concurrent use.
type Loader struct {
	env     env.Env
	changed func(root string, problems []Problem)

	mu   sync.Mutex
	kept map[string]*loaded // guarded by mu; by root and state
}

// loaded are settings with the files that they were made of.
type loaded struct {
	at       time.Time // when the files were read
	files    []sourceFile
	config   Config
	problems []Problem
}

// Fresh is how long files are not looked at again. A change is in effect after that at the latest.
const Fresh = 500 * time.Millisecond

// maxLoaded is how many workspaces' settings are kept.
const maxLoaded = 64

// NewLoader returns a loader. changed is called with the problems of the files when they were read first, and after each
// change; nil: it is not.
func NewLoader(e env.Env, changed func(root string, problems []Problem)) *Loader {
	return &Loader{env: e, changed: changed, kept: map[string]*loaded{}}
}

// Load returns what Load does, at most half a second old. As long as the files do not change, the values are the same
// ones.
func (l *Loader) Load(root, state string) (Config, []Problem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key, now := root+"\x00"+state, l.env.Now()
	last, known := l.kept[key]
	if known && now.Sub(last.at) < Fresh && !now.Before(last.at) {
		return last.config, last.problems
	}
	files := readAll(l.env, root)
	if known && same(files, last.files) {
		last.at = now
		return last.config, last.problems
	}
	if !known && len(l.kept) >= maxLoaded {
		clear(l.kept)
	}
	c, problems := resolve(files, root, state)
	l.kept[key] = &loaded{now, files, c, problems}
	if l.changed != nil {
		l.changed(root, problems)
	}
	return c, problems
}

// same reports whether files are as they were.
func same(a, b []sourceFile) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		there := a[i].data != nil
		if there != (b[i].data != nil) || !bytes.Equal(a[i].data, b[i].data) || text(a[i].err) != text(b[i].err) {
			return false
		}
	}
	return true
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
