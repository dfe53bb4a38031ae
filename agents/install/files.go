package install

import (
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/confedit"
)

// Hosts returns the agents that ctxledger can be connected to.
func Hosts() []registry.Agent {
	return slices.DeleteFunc(registry.All(), func(a registry.Agent) bool { return a.Files == nil })
}

// File is a configuration of an agent on a machine.
type File struct{ registry.File }

// bridgeProgram returns the program that a bridge of ours starts.
func bridgeProgram(text string) string {
	const before = "const program = "
	_, rest, _ := strings.Cut(text, before)
	line, _, _ := strings.Cut(rest, "\n")
	path, err := strconv.Unquote(strings.TrimSuffix(strings.TrimSpace(line), ";"))
	if err != nil {
		return ""
	}
	return path
}

// ignored says why an agent reads nothing of the file with a text, and what to do; "": it reads it.
func (f File) ignored(h registry.Agent, text []byte) string {
	if !f.Strict {
		return ""
	}
	beyond := confedit.Beyond(text)
	if beyond == "" {
		return ""
	}
	return f.Path + " has " + beyond + ", and " + h.Title +
		" ignores such a file: remove all comments, and commas after a last item"
}
