package gitlog

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction/shellcmd"
)

// finishes are the commands of git that may stop half-way or be rejected, with those that finish them later.
var finishes = map[string][]string{
	"merge": {"merge", "commit"}, "pull": {"pull", "merge", "rebase", "commit"}, "rebase": {"rebase"},
	"cherry-pick": {"cherry-pick", "commit"}, "revert": {"revert", "commit"}, "am": {"am"}, "push": {"push"},
}

// Finishers returns the commands of git that finish, or give up, what one that failed has begun ("merge": "commit").
func Finishers(command string) []string { return finishes[command] }

// Commands returns the commands of git in a command line that Finishers knows, on either side.
func Commands(line string) []string {
	if !strings.Contains(line, "git ") {
		return nil
	}
	var out []string
	for _, part := range shellcmd.Segments(line) {
		words := strings.Fields(part)
		if len(words) > 1 && words[0] == "git" && (finishes[words[1]] != nil || words[1] == "commit") &&
			!slices.Contains(out, words[1]) {
			out = append(out, words[1])
		}
	}
	return out
}
