package compaction

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
)

// gitState is what the outputs of git said of the session's tree.
type gitState struct {
	branch  string
	ahead   string // "Your branch is ahead of 'origin/main' by 2 commits."
	aheadAt int    // turn
	pushed  int    // turn of the newest push, 0 for none
	request string // address of the pull request that was opened
	commits []commit
	newest  int64 // entry of the newest commit
}

// commit is a commit that was made, with the commits that amended it.
type commit struct {
	hash, text string
	turn       int
	amended    int
	seq        int64
}

// gitLooked is how many of the newest outputs of git are read, gitBytes how much of each.
const (
	gitLooked = 100
	gitBytes  = 20_000
)

var (
	gitCommitted = lazy(`^\[([^ \]]+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)`)
	gitBranch    = lazy(`^(?:On branch|Switched to branch|Switched to a new branch) '?([^\s']+)'?`)
	gitPushed    = lazy(
		`^\s+(?:[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,}|[*+] \[new branch\]|\+ [0-9a-f]{7,}\.{3}\S+)\s+\S+ +-> +\S+`,
	)
	pullRequest = lazy(`https://\S+/(?:pull|merge_requests)/\d+`)
)

// git reads what git printed in the session's directory.
func (s *source) gitState() (gitState, error) {
	var g gitState
	var runs []*Operation
	for i := range slices.Backward(s.in.Operations) {
		op := &s.in.Operations[i]
		if len(runs) < gitLooked && op.Status == intents.Applied && s.ofGit(op) {
			runs = append(runs, op)
		}
	}
	for _, op := range slices.Backward(runs) {
		output, err := s.outputOf(op)
		if err != nil {
			return g, err
		}
		g.take(op, output[:min(len(output), gitBytes)])
	}
	return g, nil
}

// ofGit reports whether an operation ran git in the session's directory, so that what it printed is of this tree.
func (s *source) ofGit(op *Operation) bool {
	if op.Op == intents.OpCommit {
		return true
	}
	named := strings.Contains(op.Command, "git ") || strings.Contains(op.Command, "gh pr")
	return named && op.Op == intents.OpShell && s.here(op.Command)
}

// take reads one output.
func (g *gitState) take(op *Operation, output string) {
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		switch m := gitCommitted().FindStringSubmatch(line); {
		case m != nil:
			g.branch = m[1]
			amends := strings.Contains(op.Command, "--amend")
			g.commit(commit{hash: m[2], text: m[3], turn: op.Turn, seq: op.Seq}, amends)
		case strings.HasPrefix(line, "Your branch is "), strings.HasPrefix(line, "Your branch and "):
			g.ahead, g.aheadAt = line, op.Turn
		case strings.HasPrefix(line, "On branch"), strings.HasPrefix(line, "Switched to"):
			if m := gitBranch().FindStringSubmatch(line); m != nil {
				g.branch, g.ahead = m[1], ""
			}
		case gitPushed().MatchString(line):
			g.pushed, g.ahead = op.Turn, ""
		case strings.Contains(op.Command, "gh pr create"):
			g.request = cmp.Or(pullRequest().FindString(line), g.request)
		}
	}
	if !slices.ContainsFunc(g.commits, func(c commit) bool { return c.seq == op.Seq }) && commits(op.Command) {
		g.commit(commit{text: shellcmd.FirstCommit(op.Command), turn: op.Turn, seq: op.Seq}, false)
	}
}

func (g *gitState) commit(c commit, amends bool) {
	g.newest = c.seq
	if last := len(g.commits) - 1; amends && last >= 0 {
		c.amended = g.commits[last].amended + 1
		g.commits[last] = c
		return
	}
	g.commits = append(g.commits, c)
}

// commits reports whether a command makes a commit with a message.
func commits(command string) bool {
	return strings.Contains(command, "git commit") && shellcmd.FirstCommit(command) != ""
}

// here reports whether a command runs in the session's directory all along.
func (s *source) here(command string) bool {
	for _, part := range shellcmd.Segments(command) {
		to, moves := strings.CutPrefix(part, "cd ")
		if moves && s.path(strings.Trim(to, ` "'`)) != strings.TrimRight(s.in.Session.Dir, "/") {
			return false
		}
		for _, leaves := range []string{"pushd ", "git -C ", "git init"} {
			if strings.HasPrefix(part, leaves) {
				return false
			}
		}
	}
	return true
}
