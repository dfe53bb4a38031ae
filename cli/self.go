package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/shell"
)

// self is how a shell of the user starts this program: by its name, if that is what PATH finds, else by its path.
type self string

// named is the program by its name.
const named self = "ctxledger"

// selfOf returns how the user's shell starts this program.
func selfOf(e env.Env) self {
	own, err := os.Executable()
	if err != nil {
		return named
	}
	return selfAt(own, e.Lookup("PATH"))
}

// selfAt is selfOf for the program at a path.
func selfAt(own, path string) self {
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
		return self(quoted)
	case shell.Quote(filepath.ToSlash(own)) == filepath.ToSlash(own):
		return self(own)
	default:
		return self("& '" + strings.ReplaceAll(own, "'", "''") + "'") // PowerShell
	}
}

// build tells apart programs of one version that were built at different times.
func build() string {
	own, _ := os.Executable() // "" cannot be looked at
	info, err := os.Stat(own)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// in returns a text for a person with its commands, "`ctxledger …`", as they work when they are pasted.
func (s self) in(text string) string {
	return strings.ReplaceAll(text, "`ctxledger ", "`"+string(s)+" ")
}
