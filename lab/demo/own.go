package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
)

// own is what is known of the sessions of the person who runs the demo: names and sizes.
type own struct {
	files  int
	bytes  int64
	newest string // path of the one written last
	size   int64  // of the newest
}

// findOwn lists the session files of Claude Code in the person's home. It opens none of them.
func findOwn(e env.Env) (own, error) {
	config := e.Lookup("CLAUDE_CONFIG_DIR")
	if config == "" {
		if e.Home == "" {
			return own{}, nil
		}
		config = filepath.Join(e.Home, ".claude")
	}
	paths, err := filepath.Glob(filepath.Join(escape(config), "projects", "*", "*.jsonl"))
	if err != nil {
		return own{}, err
	}
	var o own
	var latest time.Time
	for _, p := range paths {
		info, err := os.Lstat(p)
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || strings.HasPrefix(filepath.Base(p), "agent-") {
			continue // gone since, a link, empty, or a subagent's
		}
		o.files++
		o.bytes += info.Size()
		if o.newest == "" || info.ModTime().After(latest) {
			o.newest, o.size, latest = p, info.Size(), info.ModTime()
		}
	}
	return o, nil
}

// escape quotes the special characters of a path for a pattern.
func escape(path string) string {
	if os.PathSeparator == '\\' {
		return path // patterns have no escapes there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// print says how to look at one of the sessions, if there are any.
func (o own) print(w io.Writer, bin string) {
	if o.files == 0 {
		return
	}
	noun := "sessions"
	if o.files == 1 {
		noun = "session"
	}
	fmt.Fprintf(w, "\nYou have %d %s of Claude Code of your own, %s; none was opened. The newest, %s, compacted:\n\n",
		o.files, noun, size(o.bytes), size(o.size))
	fmt.Fprintf(w, "    %s compact %s\n\n", quote(filepath.Join(bin, "ctxledger")), quote(o.newest))
	fmt.Fprintln(w, "This only reads the file. A copy goes into the ledger of the directory you are in, below your "+
		"state directory.")
}

// quote makes a path one word of a shell's command line.
func quote(path string) string {
	signs := `/:._-+@%,=`
	if os.PathSeparator == '\\' {
		signs += `\~` // C:\PROGRA~1; other systems' shells take them for signs of their own
	}
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune(signs, r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 && !strings.HasPrefix(path, "~") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
