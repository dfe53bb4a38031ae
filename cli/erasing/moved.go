package erasing

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/shell"
)

// movedTo has the commands that were there, and what is in front of their argument now. Nothing does what they did but
// the command that is named: it asks first.
var movedTo = map[string][]string{
	"artifact forget": {"forget"},
	"memory forget":   {"forget", "--memory"},
}

// argument names what these commands take.
var argument = map[string]string{"artifact forget": "HANDLE", "memory forget": "NAME"}

// taking are the flags of all such commands whose value is an argument of its own.
var taking = []string{"--workspace", "--scope"}

// Moved returns the command line that does what this one asks for, where its command has moved; "": it has not. args are those of the
// whole command line.
func Moved(command string, args []string) string {
	now, ok := movedTo[command]
	if !ok {
		return ""
	}
	old := strings.Fields(command)
	line, words := []string{"ctxledger"}, 0
	named, help := false, false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case slices.Contains(taking, arg) && i+1 < len(args):
			line = append(line, arg, shell.Quote(args[i+1]))
			i++
		case strings.HasPrefix(arg, "-"):
			line = append(line, shell.Quote(arg))
		case words == 0 && arg == "help":
			line, help = append(line, arg), true
		case words < len(old):
			if words++; words == len(old) {
				line = append(line, now[0])
			}
		default:
			if !named {
				line, named = append(line, now[1:]...), true
			}
			line = append(line, shell.Quote(arg))
		}
	}
	if !named && !help {
		line = append(append(line, now[1:]...), argument[command])
	}
	return strings.Join(line, " ")
}
