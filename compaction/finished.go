package compaction

import (
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
)

// markFinished finds, for each command of git that failed, the later one that finished or gave up what it began:
// to repeat it would be wrong.
func (w *work) markFinished(all []*commandState) {
	newest := make(map[string]*Operation) // that succeeded, by command of git
	for i := range w.in.Operations {
		op := &w.in.Operations[i]
		if !op.shell() || op.failed() || op.pending() {
			continue
		}
		if op.Op == intents.OpCommit {
			newest["commit"] = op
		}
		for _, name := range shellcmd.GitCommands(op.Command) {
			newest[name] = op
		}
	}
	for _, c := range all {
		if c.purpose >= shellcmd.Build || !c.failing() {
			continue
		}
		for _, name := range shellcmd.GitCommands(c.last.Command) {
			for _, by := range shellcmd.Finishers(name) {
				if op := newest[by]; op != nil && op.Seq > c.last.Seq {
					c.covered = op
				}
			}
		}
	}
}
