package setup

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/shell"
)

// Self is how a shell of the user starts this program: by its name, if that is what PATH finds, else by its path.
type Self string

// named is the program by its name.
const named Self = "ctxledger"

// SelfOf returns how the user's shell starts this program.
func SelfOf(e env.Env) Self {
	own, err := os.Executable()
	if err != nil {
		return named
	}
	return selfAt(own, e.Lookup("PATH"))
}

// selfAt is SelfOf for the program at a path.
func selfAt(own, path string) Self {
	name := string(named)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(path) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			if filepath.IsAbs(dir) && sameFile(filepath.Join(dir, name), own) {
				return named
			}
			break // the shell starts another one
		}
	}
	switch quoted := shell.Quote(own); {
	case runtime.GOOS != "windows":
		return Self(quoted)
	case shell.Quote(filepath.ToSlash(own)) == filepath.ToSlash(own):
		return Self(own)
	default:
		return Self("& '" + strings.ReplaceAll(own, "'", "''") + "'") // PowerShell
	}
}

// In returns a text for a person with its commands, "`ctxledger …`", as they work when they are pasted.
func (s Self) In(text string) string {
	return strings.ReplaceAll(text, "`ctxledger ", "`"+string(s)+" ")
}
