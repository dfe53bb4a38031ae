package compaction

import (
	"strings"

	"ctxledger.dev/intents"
)

// shellActs takes the moves and deletions of a shell run into account.
func (t *fileTable) shellActs(op *Operation) {
	for _, act := range op.Acts {
		from, to := t.src.path(act.From), t.src.path(act.To)
		var hit []*fileState
		for _, f := range t.under(from) {
			if f.gone == "" {
				hit = append(hit, f)
			}
		}
		if len(hit) == 0 && (act.Git || t.src.explored.byPath[from] != nil) {
			hit = append(hit, t.get(from))
		}
		for _, f := range hit {
			f.touched = op.Seq
			switch {
			case op.Status != intents.Applied:
				f.unsure = "moved or deleted by a command that failed (" + turnRange(op.Turn, op.Turn) + "): check"
			case act.To == "":
				f.applied++
				f.gone = "deleted (" + turnRange(op.Turn, op.Turn) + ")"
				f.unsure, f.failed, f.pending = "", nil, nil
			default:
				t.move(f, to+strings.TrimPrefix(f.path, from), op.Turn)
			}
		}
	}
}
