package compaction

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/compaction/statements"
	"ctxledger.dev/intents"
	"ctxledger.dev/transcript"
)

const openHead = "[UNRESOLVED FAILURES]"

// StillRunning begins what a document says of a command whose end is not recorded.
const StillRunning = "INTERRUPTED or still running: "

// openFailures bounds the failing commands that are neither tests nor builds: the newest.
const openFailures = 5

// addOpen adds what failed or was interrupted and did not succeed since.
func addOpen(s *source, d *layout.Document) {
	b := d.Block(&layout.Block{Head: openHead, More: moreOpen})
	var pos int64
	add := func(anchor, text string) {
		pos++
		d.Add(b, &layout.Line{Text: "  - " + text, Class: layout.ClassOpen, Anchor: anchor, Pos: pos})
	}
	for i := range s.past {
		if op := &s.past[i]; op.pending() && op.shell() {
			add("open:"+op.CallID, StillRunning+layout.OneLine(op.Command, 200)+" ("+
				layout.Turn(op.Turn)+")")
		}
	}
	for _, b := range s.in.talk.background {
		if !b.ended && b.index < s.cut {
			add("open:"+b.call, StillRunning+strings.TrimSpace(layout.OneLine(b.tool, 40)+" "+b.name)+" ("+
				layout.Turn(s.in.Items[b.index].Turn)+")")
		}
	}
	named := make(map[string]bool) // failing tests, by name
	for _, c := range s.work.commands {
		if c.open() && c.purpose >= shellcmd.Build && !c.said.Repeats(named) {
			add("open:"+c.key, s.work.printed(c)+" → "+c.failure())
		}
	}
	for _, f := range s.work.files {
		switch {
		case f.pending != nil:
			add("open:"+f.Path, "INTERRUPTED: "+f.pending.Op+" of "+f.Path+" ("+
				layout.Turn(f.pending.Turn)+"); check the file")
		case f.failed != nil:
			add("open:"+f.Path, f.failed.Op+" of "+f.Path+" failed"+layout.Times(f.failures)+" ("+
				layout.Turn(f.failed.Turn)+") and has not been repeated since: "+f.failed.reason())
		}
	}
	others := 0
	for _, c := range s.work.commands {
		if others < openFailures && c.open() && c.purpose == shellcmd.Other {
			others++
			add(otherFailure+c.key, s.work.printed(c)+" → "+c.failure())
		}
	}
}

// otherFailure begins the anchors of commands that are neither tests nor builds: nothing is lost if they are left out.
const otherFailure = "failed:"

// moreOpen says how many failures that matter were left out.
func moreOpen(left []*layout.Line) string {
	return layout.CountOf("more failure")(slices.DeleteFunc(slices.Clone(left), func(l *layout.Line) bool {
		return strings.HasPrefix(l.Anchor, otherFailure)
	}))
}

// reason is why an operation failed, as far as that was recorded.
func (op *Operation) reason() string {
	return cmp.Or(layout.OneLine(shellcmd.BareOutput(cmp.Or(op.Error, op.Outcome)), 200), "no reason recorded")
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

// finished reports whether the newest turn has ended: with words of the agent that announce nothing, and nothing came after
// them.
func (in *Input) finished() bool {
	last, talk := len(in.Items)-1, in.talk
	m := len(talk.said) - 1
	if m < 0 || talk.said[m].by != agent || talk.said[m].index != last || len(in.Items[last].Calls) > 0 {
		return false
	}
	later := func(st Steering) bool { return st.After >= in.Items[last].last() }
	return !statements.Announces(talk.messages[m].Text) && !slices.ContainsFunc(in.Steering, later)
}

// supersededBy says, for each failure of the compacted range, what made it obsolete: a later success
// on the same file or with the same command, or a later run that checked the same again. Its keys
// are indexes into past.
func supersededBy(s *source) map[int]string {
	out := make(map[int]string)
	commands := make(map[string]*commandState)
	for _, c := range s.work.commands {
		commands[c.key] = c
	}
	succeeded := make(map[string]int)
	for i := len(s.in.Operations) - 1; i >= 0; i-- {
		op := &s.in.Operations[i]
		key := "file " + op.Target
		if op.shell() {
			key = s.work.keyOf(op.Command).key
		}
		switch {
		case op.Status == intents.Applied && (op.ExitCode == nil || *op.ExitCode == 0):
			succeeded[key] = op.Turn
		case op.Status != intents.Failed || i >= len(s.past):
		case succeeded[key] > 0:
			out[i] = "; succeeded later (" + layout.Turn(succeeded[key]) + ")"
		case op.shell() && commands[key] != nil && commands[key].covered != nil:
			turn := commands[key].covered.Turn
			out[i] = "; checked again later (" + layout.Turn(turn) + ")"
		case op.shell() && commands[key] != nil && commands[key].last.Seq > op.Seq:
			turn := commands[key].last.Turn
			out[i] = "; run again later (" + layout.Turn(turn) + ")"
		}
	}
	return out
}
