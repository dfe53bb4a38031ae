package compaction

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
)

// changeLog lists what was written, deleted, run and committed in the items of [from, to), turn by turn, in the
// documented form of a change log. If it is too long, its oldest lines are left out.
func (w briefWriter) changeLog(from, to int) []string {
	var out []string
	first, last := w.in.Items[from].first(), newest(w.in.Items[from:to])
	var turn []*Operation
	for i := range w.past {
		op := &w.past[i]
		if op.Seq < first || op.Seq > last {
			continue
		}
		if len(turn) > 0 && (turn[0].Turn != op.Turn || turn[0].Agent != op.Agent) {
			out = append(out, w.logEntry(turn)...)
			turn = nil
		}
		turn = append(turn, op)
	}
	return newestLines(append(out, w.logEntry(turn)...), logChars)
}

// logEntry is the entry of one turn of one agent.
func (w briefWriter) logEntry(ops []*Operation) []string {
	if len(ops) == 0 {
		return nil
	}
	var written, deleted, run, committed, failed []string
	add := func(list *[]string, text string) {
		if text != "" && !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	for _, op := range ops {
		target := w.in.path(op.Target)
		switch {
		case op.Op == intents.OpShell:
			add(&run, runLine(op))
		case op.Status == intents.Failed:
			add(&failed, "    - "+op.Op+" "+target+": "+layout.OneLine(op.reason(), outputChars))
		case op.pending():
			add(&failed, "    - "+op.Op+" "+target+": interrupted, outcome unknown")
		case op.Op == intents.OpCommit:
			add(&committed, "    - "+layout.OneLine(cmp.Or(op.Command, op.Target), 120))
		case op.Op == intents.OpDelete:
			add(&deleted, "    - "+target)
		default:
			add(&written, "    - "+target)
			if op.Op == intents.OpMove {
				add(&deleted, "    - "+w.in.path(op.From))
			}
		}
	}
	out := []string{"[Turn " + strconv.Itoa(ops[0].Turn) + "] " + agentOf(ops[0].Agent)}
	for _, block := range []struct {
		head  string
		lines []string
	}{
		{"  Files written:", written}, {"  Files deleted:", deleted}, {"  Commands run:", run},
		{"  Git commits:", committed}, {"  Failed or interrupted:", failed},
	} {
		if len(block.lines) > 0 {
			out = append(append(out, block.head), block.lines...)
		}
	}
	return out
}

// runLine prints one command with its outcome.
func runLine(op *Operation) string {
	mark := "[OK]"
	switch {
	case op.pending():
		mark = "[INTERRUPTED]"
	case op.failed():
		mark = "[FAILED]"
		if op.ExitCode != nil {
			mark += " exit " + strconv.Itoa(*op.ExitCode)
		}
	}
	text := "    - " + layout.OneLine(op.Command, 240) + "  " + mark
	if said := layout.OneLine(shellcmd.BareOutput(cmp.Or(op.Outcome, op.Error)), outputChars); said != "" {
		text += "\n      Output: " + said
	}
	return text
}

// trace lists the calls of the items from one to another, with how they ended.
func (w briefWriter) trace(from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		it := &w.in.Items[i]
		for _, c := range it.Calls {
			mark, agent := "✓", ""
			if w.failed[c.ID] {
				mark = "✗"
			}
			if op := w.tracked[c.ID]; op != nil {
				agent = op.Agent
			}
			out = append(out, "  Turn "+strconv.Itoa(max(1, it.Turn))+" ["+agentOf(agent)+"]: "+mark+" "+
				layout.OneLine(c.Name, 60)+"("+layout.OneLine(w.in.path(c.Target), 160)+")")
		}
	}
	return newestLines(out, traceChars)
}

// callList names the calls of one message: "✓ Edit(a.go), ✗ Bash(go test)".
func (w briefWriter) callList(it *Item) string {
	const most = 12
	var out []string
	for _, c := range it.Calls[:min(len(it.Calls), most)] {
		mark := "✓ "
		if w.failed[c.ID] {
			mark = "✗ "
		}
		out = append(out, mark+layout.OneLine(c.Name, 60)+"("+layout.OneLine(w.in.path(c.Target), 120)+")")
	}
	return strings.Join(out, ", ")
}

// failedCalls returns the ids of the calls that are known to have failed.
func (in *Input) failedCalls() map[string]bool {
	out := make(map[string]bool)
	for i := range in.Items {
		for _, r := range in.Items[i].Results {
			if r.Failed {
				out[r.CallID] = true
			}
		}
	}
	for i := range in.Operations {
		if op := &in.Operations[i]; op.failed() {
			out[op.CallID] = true
		}
	}
	return out
}
