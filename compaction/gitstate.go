package compaction

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
)

// gitLooked is how many of the newest outputs of git are read.
const gitLooked = 100

// gitState reads what git printed in the session's directory.
func (s *source) gitState() (shellcmd.Repository, error) {
	var g shellcmd.Repository
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
		if op.Op == intents.OpCommit {
			g.Take(op.Turn, op.Seq, "", output)
			g.Committed(op.Turn, op.Seq, op.Command)
			continue
		}
		g.Take(op.Turn, op.Seq, op.Command, output)
	}
	return g, nil
}

// ofGit reports whether an operation ran git in the session's directory, so that what it printed is of this tree.
func (s *source) ofGit(op *Operation) bool {
	if op.Op == intents.OpCommit {
		return true
	}
	named := strings.Contains(op.Command, "git ") || strings.Contains(op.Command, "gh pr")
	return named && op.Op == intents.OpShell && shellcmd.RunsIn(s.in.Session.Dir, op.Command)
}
