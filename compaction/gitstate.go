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
func gitState(in *Input) (shellcmd.Repository, error) {
	var g shellcmd.Repository
	var runs []*Operation
	for i := range slices.Backward(in.Operations) {
		op := &in.Operations[i]
		if len(runs) < gitLooked && op.Status == intents.Applied && ofGit(in, op) {
			runs = append(runs, op)
		}
	}
	for _, op := range slices.Backward(runs) {
		output, err := in.outputOf(op)
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
func ofGit(in *Input, op *Operation) bool {
	if op.Op == intents.OpCommit {
		return true
	}
	named := strings.Contains(op.Command, "git ") || strings.Contains(op.Command, "gh pr")
	return named && op.Op == intents.OpShell && shellcmd.RunsIn(in.Session.Dir, op.Command)
}
