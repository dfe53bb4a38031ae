package cli

import (
	"strconv"
	"strings"

	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/shell"
)

// selectionArgument is an argument of a selection as errors of package artifacts write it, and as MCP takes it.
var selectionArgument = pattern.Lazy(
	`\b(lines|bytes|head|tail|grep|context|json_path|search|after|limit)=("(?:[^"\\]|\\.)*"|-?\d+)`)

// inFlags writes the arguments of a selection as the command line takes them: lines="10-40" as --lines 10-40.
func inFlags(text string) string {
	return selectionArgument().ReplaceAllStringFunc(text, func(argument string) string {
		name, value, _ := strings.Cut(argument, "=")
		if plain, err := strconv.Unquote(value); err == nil {
			value = shell.Quote(plain)
		}
		if name == "limit" {
			name = "chars" // the other commands limit how much they list
		}
		return "--" + strings.ReplaceAll(name, "_", "-") + " " + value
	})
}
