package compaction

import (
	"path"
	"slices"
	"strings"

	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/internal/words"
)

// work is what a session did up to the newest entry of its log, net: what became of files and of the repository, how
// checks ended, what was read. Documents print it, and what a model or an agent claims is compared with it.
type work struct {
	in       *Input
	focus    focus
	files    []*fileState
	moves    map[string]string // present paths of what was moved, by the former ones
	commands []*commandState
	keys     map[string]commandKey // by command: the same one runs often
	explored explored
	git      shellcmd.Repository
}

// newWork derives the work from an input whose dialogue was read. Errors: those of Input.Message.
func newWork(in *Input, f focus) (*work, error) {
	w := &work{in: in, focus: f, keys: make(map[string]commandKey), explored: explore(in)}
	var err error
	if w.files, err = w.fileStates(); err != nil {
		return nil, err
	}
	w.commands = w.commandStates()
	if w.git, err = gitState(in); err != nil {
		return nil, err
	}
	return w, w.readFailures()
}

// focus are the words that the caller asked to keep in view.
type focus []string

// on reports whether a text names one of them.
func (f focus) on(text string) bool {
	if len(f) == 0 {
		return false
	}
	text = words.Key(text)
	return slices.ContainsFunc(f, func(w string) bool { return strings.Contains(text, w) })
}

// compare orders a text in focus before one that is not.
func (f focus) compare(a, b string) int {
	switch fa, fb := f.on(a), f.on(b); {
	case fa == fb:
		return 0
	case fa:
		return -1
	}
	return 1
}

// present returns the path that a file has now.
func (w *work) present(p string) string {
	const most = 16 // moves of one file that are followed
	for range most {
		dir := p
		for dir != "." && dir != "/" && dir != "" && w.moves[dir] == "" {
			dir = path.Dir(dir)
		}
		to := w.moves[dir]
		if to == "" {
			break
		}
		p = to + strings.TrimPrefix(p, dir)
	}
	return p
}
