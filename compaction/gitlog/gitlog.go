// Package gitlog reads the state of a repository from what git and gh printed in a session: the branch, the commits that
// were made or amended, pushes, the pull request, how far the branch is from its upstream.
//
// Feed a State the outputs of the commands that ran in the session's tree, oldest first. The zero State is ready to use.
package gitlog

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/internal/pattern"
)

// State is what the outputs said of one tree.
type State struct {
	Branch  string
	Ahead   string // "Your branch is ahead of 'origin/main' by 2 commits."; "" once that is out of date
	AheadAt int    // turn
	Pushed  int    // turn of the newest push, 0 for none
	Request string // address of the pull request that was opened
	Commits []Commit
}

// Commit is a commit that was made. One that amends another takes its place.
type Commit struct {
	Hash, Subject string // "" where the output does not say
	Turn          int
	Amended       int   // how often
	Seq           int64 // of the operation
}

// Newest returns the operation that made the newest commit, 0 for none.
func (s *State) Newest() int64 {
	if len(s.Commits) == 0 {
		return 0
	}
	return s.Commits[len(s.Commits)-1].Seq
}

// maxOutput is how much of one output is read, in bytes.
const maxOutput = 20_000

// Take reads the output of a command.
func (s *State) Take(turn int, seq int64, command, output string) {
	for line := range strings.Lines(output[:min(len(output), maxOutput)]) {
		line = strings.TrimRight(line, "\r\n")
		switch m := committed().FindStringSubmatch(line); {
		case m != nil:
			s.Branch = m[1]
			s.add(Commit{Hash: m[2], Subject: m[3], Turn: turn, Seq: seq}, strings.Contains(command, "--amend"))
		case strings.HasPrefix(line, "Your branch is "), strings.HasPrefix(line, "Your branch and "):
			s.Ahead, s.AheadAt = line, turn
		case pushed().MatchString(line):
			s.Pushed, s.Ahead = turn, ""
		case strings.Contains(command, "gh pr create"):
			s.Request = cmp.Or(request().FindString(line), s.Request)
		default:
			if m := branch().FindStringSubmatch(line); m != nil {
				s.Branch, s.Ahead = m[1], ""
			}
		}
	}
	known := slices.ContainsFunc(s.Commits, func(c Commit) bool { return c.Seq == seq })
	if subject := shellcmd.FirstCommit(command); !known && subject != "" {
		s.add(Commit{Subject: subject, Turn: turn, Seq: seq}, false) // a quiet commit prints nothing
	}
}

func (s *State) add(c Commit, amends bool) {
	s.Ahead = ""
	if last := len(s.Commits) - 1; amends && last >= 0 {
		c.Amended = s.Commits[last].Amended + 1
		s.Commits[last] = c
		return
	}
	s.Commits = append(s.Commits, c)
}

var (
	committed = pattern.Lazy(`^\[([^ \]]+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)`)
	branch    = pattern.Lazy(`^(?:On branch|Switched to branch|Switched to a new branch) '?([^\s']+)'?`)
	pushed    = pattern.Lazy(`^\s+(?:\+ )?(?:[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,}|[*+] \[new branch\])\s+\S+ +-> +\S+`)
	request   = pattern.Lazy(`https://\S+/(?:pull|merge_requests)/\d+`)
)
