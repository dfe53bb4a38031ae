package shellcmd

import (
	"slices"
)

// finishes are the commands of git that may stop half-way or be rejected, with those that finish them later.
var finishes = map[string][]string{
	"merge": {"merge", "commit"}, "pull": {"pull", "merge", "rebase", "commit"}, "rebase": {"rebase"},
	"cherry-pick": {"cherry-pick", "commit"}, "revert": {"revert", "commit"}, "am": {"am"}, "push": {"push"},
}

// Finishers returns the commands of git that finish, or give up, what one that failed has begun ("merge": "commit").
func Finishers(command string) []string { return finishes[command] }

// GitCommands returns the commands of git in a command line that Finishers knows, on either side.
func GitCommands(line string) []string {
	var out []string
	for _, call := range gitCalls(line) {
		if name := call.Name; (finishes[name] != nil || name == "commit") && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
