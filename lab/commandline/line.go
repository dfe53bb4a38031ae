// Package commandline calls commands as their help says, for the harnesses that call every command: one without a row of its
// own in a harness is called with a value for each argument that its help names.
package commandline

import (
	"strings"

	"ctxledger.dev/cli"
)

// Line returns the words that call a command, with a value for each of its arguments by the name that its help gives it, as
// in "SESSION|FILE". An argument that may be left out and has no value is. false: one that has to be there has none.
func Line(c cli.Command, values map[string]string) (line []string, ok bool) {
	line = strings.Fields(c.Name)
	for _, argument := range strings.Fields(c.Args) {
		name, _, _ := strings.Cut(strings.Trim(argument, "[]…"), "|")
		value := values[name]
		if value == "" && !strings.HasPrefix(argument, "[") {
			return nil, false
		}
		if value != "" {
			line = append(line, value)
		}
	}
	return line, true
}
