package compaction

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
)

// finishes are the commands of git that may stop half-way or be rejected, with those that finish them later.
var finishes = map[string][]string{
	"merge": {"merge", "commit"}, "pull": {"pull", "merge", "rebase", "commit"}, "rebase": {"rebase"},
	"cherry-pick": {"cherry-pick", "commit"}, "revert": {"revert", "commit"}, "am": {"am"}, "push": {"push"},
}

// markFinished finds, for each command of git that failed, the later one that finished or gave up what it began:
// to repeat it would be wrong.
func (s *source) markFinished(all []*commandState) {
	newest := make(map[string]*Operation) // that succeeded, by command of git
	for i := range s.in.Operations {
		op := &s.in.Operations[i]
		if !op.shell() || op.failed() || op.pending() {
			continue
		}
		if op.Op == intents.OpCommit {
			newest["commit"] = op
		}
		for _, name := range gitCommands(op.Command) {
			newest[name] = op
		}
	}
	for _, c := range all {
		if c.purpose >= shellcmd.Build || !c.failing() {
			continue
		}
		for _, name := range gitCommands(c.last.Command) {
			for _, by := range finishes[name] {
				if op := newest[by]; op != nil && op.Seq > c.last.Seq {
					c.covered = op
				}
			}
		}
	}
}

// gitCommands returns the commands of git in a command line that finishes knows, on either side.
func gitCommands(command string) []string {
	if !strings.Contains(command, "git ") {
		return nil
	}
	var out []string
	for _, part := range shellcmd.Segments(command) {
		words := strings.Fields(part)
		if len(words) > 1 && words[0] == "git" && (finishes[words[1]] != nil || words[1] == "commit") &&
			!slices.Contains(out, words[1]) {
			out = append(out, words[1])
		}
	}
	return out
}
