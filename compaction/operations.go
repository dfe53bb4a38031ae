package compaction

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
)

const (
	resumptionNote = "RESUMPTION NOTE: History compacted from intent log — deterministic ground truth."
	appliedNote    = " Do not re-execute operations marked ✓ (applied)."
	failedNote     = " Operations marked ✗ (failed) should be retried if the task requires them."
	// The marks of a line.
	applied, failed, pending = "  ✓ ", "  ✗ ", "  ⧖ "
	// operationLines is how many operations the list shows at most, operationsUnfolded how many of
	// the newest successful ones it shows each on its own line.
	// leastListed is the budget in tokens from which a tenth of it holds a list that says something.
	leastListed        = 4_000
	operationLines     = 200
	operationsUnfolded = 100
)

// group is one line of the list: one operation, or successful ones of one kind on one target.
type group struct {
	op    *Operation // the newest
	first int        // turn of the oldest
	count int
	class layout.Class
	note  string
	// refused says that the call did not run, and why; "" if it ran.
	refused string
	seq     int64 // index of the oldest among the operations: its place in the list
}

// addOperations adds the body of the document: its first line, the list, the warning and the notes,
// in the documented form.
func addOperations(s *source, d *layout.Document) {
	if s.budget < leastListed {
		d.Block(&layout.Block{Head: s.pendingWarning() + "All of it, byte for byte: " + s.retrieve() + ".",
			Always: true})
		return
	}
	from, to := s.turns()
	b := d.Block(&layout.Block{
		Head: fmt.Sprintf("[INTENT-DERIVED RECONSTRUCTION — covers turns %d–%d]\n\nOPERATIONS (chronological):",
			from, to),
		Foot:   s.closing,
		Empty:  s.pendingWarning() + s.historyLine(),
		Always: true,
		MoreAt: 1,
	})
	groups := groupsOf(s)
	byLine := make(map[*layout.Line]*group)
	for i := range groups[:min(len(groups), operationLines)] {
		g := &groups[i]
		l := d.Add(b, &layout.Line{Text: g.text(), Class: g.class, Pos: g.seq + 2})
		byLine[l] = g
	}
	b.More = func([]*layout.Line) string {
		n, files := len(s.past), make(map[string]bool)
		for i := range s.past {
			if !s.past[i].shell() {
				files[s.past[i].Target] = true
			}
		}
		for l, g := range byLine {
			if l.In {
				n -= g.count
				delete(files, g.op.Target)
			}
		}
		if n <= 0 {
			return ""
		}
		if len(files) == 0 {
			return "  … " + chars.Plural(n, "more operation")
		}
		return "  … " + chars.Plural(n, "earlier operation") + " on " + chars.Plural(len(files), "file")
	}
}

// groupsOf returns the lines of the list, the most worthy first: what is open, then the newest successes, then
// failures that later work made obsolete, then older successes folded. Commands that only read are counted among
// the left-out lines.
func groupsOf(s *source) []group {
	later := supersededBy(s)
	var open, newest, old, obsolete []group
	folded := make(map[string]int)
	shown := 0
	for i, op := range slices.Backward(s.past) {
		g := group{op: &s.past[i], first: op.Turn, count: 1, class: layout.ClassOld, seq: int64(i)}
		switch {
		case s.in.talk.never[op.CallID]:
			g.refused = s.in.talk.refusedBecause(&op)
			obsolete = append(obsolete, g)
		case op.pending():
			open = append(open, g)
		case op.Status == intents.Failed && later[i] != "":
			g.note = later[i]
			obsolete = append(obsolete, g)
		case op.Status == intents.Failed:
			open = append(open, g)
		case op.shell() && s.work.readsOnly(op.Command):
			continue // it changed nothing: the line about what is left out counts it
		case shown < operationsUnfolded:
			shown++
			newest = append(newest, g)
		default:
			key := op.Op + "\x00" + cmp.Or(op.Target, op.Command) + "\x00" + op.Agent
			if at, known := folded[key]; known {
				old[at].first, old[at].seq = op.Turn, int64(i)
				old[at].count++
				continue
			}
			folded[key] = len(old)
			old = append(old, g)
		}
	}
	return slices.Concat(open, newest, obsolete, old)
}

// refusedNote follows resumptionNote where the user refused something.
const refusedNote = " Operations that the user refused must not be repeated."

// refusedBecause says why a call did not run.
func (d *dialogue) refusedBecause(op *Operation) string {
	if d.refuses(op.CallID) {
		return "refused by the user, did not run: do not repeat"
	}
	return "did not run: " + op.failure()
}

// text prints one line of the list in the documented form.
func (g *group) text() string {
	op := g.op
	text := pending
	switch op.Status {
	case intents.Applied:
		text = applied
	case intents.Failed:
		text = failed
	}
	text += layout.OneLine(cmp.Or(op.Op, op.Name), 60)
	if target := op.target(); target != "" {
		text += ` → "` + target + `"`
	}
	text += layout.Times(g.count) + " (" + layout.TurnRange(g.first, op.Turn) + ", " + agentOf(op.Agent) + ")"
	if op.Status == intents.Failed {
		text += " — " + cmp.Or(g.refused, op.failure()) + g.note
	}
	return text
}

// target is the path of an operation, or the command of a shell run.
func (op *Operation) target() string {
	if op.shell() {
		return layout.OneLine(cmp.Or(op.Command, op.Target), 120)
	}
	return layout.OneLine(op.Target, 240)
}

func (op *Operation) failure() string {
	text := op.Error
	if op.shell() || text == "" {
		text = cmp.Or(op.Outcome, op.Error)
	}
	text = layout.OneLine(shellcmd.BareOutput(text), 160)
	if op.ExitCode != nil && *op.ExitCode != 0 {
		exit := "exit " + strconv.Itoa(*op.ExitCode)
		if text == "" {
			return exit
		}
		return exit + ": " + text
	}
	return cmp.Or(text, "failed, no reason recorded")
}

// closing returns what follows the list: the warning about pending operations, the note, which explains the marks of the
// lines, and how to read the full history.
func (s *source) closing(lines []*layout.Line) string {
	marked := func(mark string) bool {
		return slices.ContainsFunc(lines, func(l *layout.Line) bool { return strings.HasPrefix(l.Text, mark) })
	}
	note := resumptionNote
	if marked(applied) {
		note += appliedNote
	}
	if marked(failed) {
		note += failedNote
	}
	if len(s.in.talk.refused) > 0 {
		note += refusedNote
	}
	return "\n" + s.pendingWarning() + note + "\n\n" + s.historyLine()
}

// pendingWarning is the documented warning about operations whose outcome is unknown; "" when there are none.
func (s *source) pendingWarning() string {
	open := 0
	for i := range s.past {
		if s.past[i].pending() {
			open++
		}
	}
	if open == 0 {
		return ""
	}
	return fmt.Sprintf("WARNING: %d intent(s) are still PENDING — they may have been interrupted.\n"+
		"Check current disk state before retrying these operations.\n\n", open)
}

// dirLine says what the paths of the document are relative to; "" when that is not known.
func (s *source) dirLine() string {
	if s.in.Session.Dir == "" {
		return ""
	}
	return " Paths are relative to " + layout.OneLine(s.in.Session.Dir, 300) + "."
}

// historyLine is the documented line that names where the replaced messages are, and how to read
// them.
func (s *source) historyLine() string {
	return "The full conversation history has been saved to " + s.id +
		" should you need to refer back to it for details. Read it with " + s.retrieve() + "."
}
