package shellcmd

import (
	"cmp"
	"strings"

	"ctxledger.dev/internal/pattern"
)

// Repository is what the outputs said of one tree.
type Repository struct {
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
func (s *Repository) Newest() int64 {
	if len(s.Commits) == 0 {
		return 0
	}
	return s.Commits[len(s.Commits)-1].Seq
}

// maxOutput is how much of one output is read, in bytes.
const maxOutput = 20_000

// Take reads the output of a command that succeeded.
func (s *Repository) Take(turn int, seq int64, command, output string) {
	made := commitsIn(command)
	output = output[:min(len(output), maxOutput)]
	add := func(c Commit, amends bool) {
		c.Turn, c.Seq = turn, seq
		s.add(c, amends)
	}
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		switch m := committed().FindStringSubmatch(line); {
		case m != nil:
			for ; len(made) > 0 && made[0].Quiet; made = made[1:] {
				add(Commit{Subject: made[0].Subject}, made[0].Amends)
			}
			amends := len(made) > 0 && made[0].Amends
			made = made[min(1, len(made)):]
			s.Branch = m[1]
			add(Commit{Hash: m[2], Subject: m[3]}, amends)
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
	for _, c := range made { // whose output went elsewhere, or that print nothing
		if !c.Instead && !refused().MatchString(output) {
			add(Commit{Subject: c.Subject}, c.Amends)
		}
	}
}

// Committed takes a commit that was made by other means than a command line.
func (s *Repository) Committed(turn int, seq int64, message string) {
	if s.Newest() != seq {
		first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
		s.add(Commit{Subject: first, Turn: turn, Seq: seq}, false)
	}
}

func (s *Repository) add(c Commit, amends bool) {
	s.Ahead = ""
	if last := len(s.Commits) - 1; amends && last >= 0 {
		c.Amended, c.Subject = s.Commits[last].Amended+1, cmp.Or(c.Subject, s.Commits[last].Subject)
		s.Commits[last] = c
		return
	}
	s.Commits = append(s.Commits, c)
}

var (
	committed = pattern.Lazy(`^\[([^ \]]+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)`)
	refused   = pattern.Lazy(`(?m)^(?:nothing (?:added )?to commit|no changes added to commit|Aborting commit)`)
	branch    = pattern.Lazy(`^(?:On branch|Switched to branch|Switched to a new branch) '?([^\s']+)'?`)
	pushed    = pattern.Lazy(`^\s+(?:\+ )?(?:[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,}|[*+] \[new branch\])\s+\S+ +-> +\S+`)
	request   = pattern.Lazy(`https://\S+/(?:pull|merge_requests)/\d+`)
)
