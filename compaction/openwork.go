package compaction

import (
	"ctxledger.dev/transcript"
)

const openHead = "[OPEN WORK — pending and failed, from the ledger]"

// openFailures is how many failing commands that are neither tests nor builds are told as open
// work: the newest.
const openFailures = 5

// addOpen adds what is not finished: the request in progress, and what failed or was interrupted
// and did not succeed since.
func (s *source) addOpen(d *document) {
	b := d.block(&block{head: openHead, always: true, empty: "  Nothing recorded is pending or failed.", more: s.moreOpen})
	var pos int64
	add := func(anchor, text string) {
		pos++
		d.add(b, &line{text: "  - " + text, class: classOpen, anchor: anchor, pos: pos})
	}
	if turn := s.splitTurn(); turn > 0 {
		add("", "The request of "+turnRange(turn, turn)+" is in progress: its first steps are summarised here, the next ones follow below.")
	}
	for i := range s.past {
		if op := &s.past[i]; op.pending() && op.shell() {
			add("open:"+op.CallID, "INTERRUPTED or still running: "+oneLine(op.Command, 200)+" ("+turnRange(op.Turn, op.Turn)+")")
		}
	}
	for _, f := range s.files {
		switch {
		case f.pending != nil:
			add("open:"+f.path, "INTERRUPTED: "+f.pending.Op+" of "+f.path+" ("+turnRange(f.pending.Turn, f.pending.Turn)+"); check the file")
		case f.failed != nil:
			add("open:"+f.path, f.failed.Op+" of "+f.path+" failed"+times(f.failures)+", last in "+turnRange(f.failed.Turn, f.failed.Turn)+": "+s.reason(f.failed))
		}
	}
	others := 0
	for _, c := range s.commands {
		if !c.open() {
			continue
		}
		if c.purpose == other {
			if others++; others > openFailures {
				continue
			}
		}
		add("open:"+c.key, oneLine(c.last.Command, 200)+" → "+c.result())
	}
}

func (s *source) reason(op *Operation) string {
	if text := oneLine(op.Error, 200); text != "" {
		return text
	}
	if text := oneLine(op.Outcome, 200); text != "" {
		return text
	}
	return "no reason recorded"
}

// splitTurn returns the turn that the boundary splits, or 0.
func (s *source) splitTurn() int {
	if s.cut >= len(s.in.Items) {
		return 0
	}
	next := &s.in.Items[s.cut]
	if next.Prompt && next.Role == transcript.RoleUser || next.Turn == 0 || next.Turn != s.in.Items[s.cut-1].Turn {
		return 0
	}
	return next.Turn
}

func (s *source) moreOpen(left []*line) string {
	if len(left) == 0 {
		return ""
	}
	return "  … and " + thousands(len(left)) + " more: " + s.retrieve()
}

// superseded says which later operation made a failure obsolete: the first that succeeded on the
// same file or with the same command. 0: none.
func superseded(ops []Operation) map[int]int {
	out := make(map[int]int)
	waiting := make(map[string][]int)
	keys := make(map[string]string)
	for i := range ops {
		op := &ops[i]
		key := "file " + op.Target
		if op.shell() {
			var known bool
			if key, known = keys[op.Command]; !known {
				key, _ = keyOf(op.Command)
				keys[op.Command] = key
			}
		}
		switch {
		case op.Status == statusFailed:
			waiting[key] = append(waiting[key], i)
		case op.Status == statusApplied && (op.ExitCode == nil || *op.ExitCode == 0):
			for _, j := range waiting[key] {
				out[j] = op.Turn
			}
			delete(waiting, key)
		}
	}
	return out
}
