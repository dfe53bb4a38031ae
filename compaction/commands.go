package compaction

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
)

// commandState is one command with its newest run, up to the newest entry of the log.
type commandState struct {
	key     string
	purpose shellcmd.Purpose
	runs    int
	last    *Operation
	text    string     // as it is printed; "" until asked for
	covered *Operation // a later run that supersedes all its checks
}

// commandStates returns the commands that ran in the session: tests first, then builds,
// then the rest; the most recently run first.
func (s *source) commandStates() []*commandState {
	byKey := make(map[string]*commandState)
	var all []*commandState
	for i := range s.in.Operations {
		op := &s.in.Operations[i]
		if op.Op != intents.OpShell || op.Command == "" || s.talk.never[op.CallID] {
			continue
		}
		k := s.keyOf(op.Command)
		c := byKey[k.key]
		if c == nil {
			c = &commandState{key: k.key, purpose: k.purpose}
			byKey[k.key] = c
			all = append(all, c)
		}
		c.runs++
		c.last = op
	}
	markCovered(all)
	slices.SortStableFunc(all, func(a, b *commandState) int {
		return cmp.Or(s.compareFocus(a.key, b.key), cmp.Compare(b.purpose, a.purpose),
			cmp.Compare(b.last.Seq, a.last.Seq))
	})
	return all
}

// failing reports whether the newest run of a command is known to have failed.
func (c *commandState) failing() bool {
	op := c.last
	if op.pending() || op.failed() {
		return !op.pending()
	}
	return c.purpose >= shellcmd.Build && shellcmd.ReportsFailure(strings.TrimSpace(op.Outcome))
}

// open reports whether the failure needs work. A search without hits does not, nor does a check that a later run
// superseded.
func (c *commandState) open() bool {
	return c.purpose != shellcmd.Search && c.covered == nil && c.failing()
}

// failedChars bounds what is printed of a failed run's output.
const failedChars = 160

// failure prints how the newest run failed: "exit 1 (turn 5, run ×3) — FAIL users_test.go:12".
func (c *commandState) failure() string {
	text := c.result()
	if said := tellingLine(c.last); said != "" {
		text += " — " + said
	}
	return text
}

// result prints how and when the newest run ended: "exit 0 (turn 5, run ×3)". The output of a successful run is
// left out.
func (c *commandState) result() string {
	when := turnRange(c.last.Turn, c.last.Turn)
	if c.runs > 1 {
		when += ", run" + times(c.runs)
	}
	return c.ending() + " (" + when + ")"
}

// ending is how the newest run ended: "exit 1", "ok".
func (c *commandState) ending() string {
	op := c.last
	var end string
	switch {
	case op.ExitCode != nil:
		end = "exit " + strconv.Itoa(*op.ExitCode)
	case op.pending():
		end = "no result recorded"
	case op.Status == intents.Failed:
		end = "failed"
	default:
		end = "ok"
	}
	if end != "ok" && end != "exit 0" {
		return end
	}
	switch {
	case c.failing():
		return "FAILED by its output"
	case c.purpose >= shellcmd.Build && shellcmd.Piped(op.Command):
		end += ", as far as its pipe tells"
	}
	return end
}

// tellingLine returns the output of a run in one line, "" if there is none.
func tellingLine(op *Operation) string {
	return oneLine(shellcmd.BareOutput(cmp.Or(op.Outcome, op.Error)), failedChars)
}

const commandsHead = "[CHECKS AND COMMITS — newest outcome]"

// addCommands adds the block of tests and builds: first those that no later run superseded, then the others in
// short, then the commits.
func (s *source) addCommands(d *document) {
	b := d.block(&block{head: commandsHead, more: countOf("  … and %s more command(s)")})
	const commits, earlier = 1 << 20, 1 << 50 // places in the block
	lastEdit := s.lastEdit()
	done := make(map[string]bool) // by the printed command: its newest run comes first
	for _, c := range s.commands {
		if c.open() {
			done[s.printed(c)] = true
		}
	}
	for i, c := range s.commands {
		if c.purpose < shellcmd.Build || c.covered != nil || c.open() || c.last.pending() || done[s.printed(c)] {
			continue
		}
		done[s.printed(c)] = true
		text := "  " + s.printed(c) + " → " + c.result()
		if lastEdit > c.last.Seq {
			text += " [files changed since]"
		}
		d.add(b, &line{text: text, class: classCheck, anchor: "command:" + c.key, pos: int64(i)})
	}
	s.addCommits(d, b, commits)
	add := d.under(b, line{text: "Earlier runs, superseded by later ones (not current):", class: classCheck,
		pos: earlier})
	for i, c := range s.commands {
		if c.purpose < shellcmd.Build || c.covered == nil || done[s.printed(c)] {
			continue
		}
		done[s.printed(c)] = true
		text := "  " + s.printed(c) + " → " + c.ending() + " (" + turnRange(c.last.Turn, c.last.Turn) + ")"
		add(line{text: text, class: classCheck, anchor: "command:" + c.key, pos: earlier + int64(i+1)})
	}
}

// printed is the command as the document shows it: of one that tests or builds only that, and where.
func (s *source) printed(c *commandState) string {
	if c.purpose < shellcmd.Build {
		return oneLine(c.last.Command, 200)
	}
	if c.text == "" {
		c.text = s.checksText(c.last.Command)
	}
	return c.text
}

// checksText returns a command reduced to its tests and builds. The directory follows in parentheses; variables,
// redirections and filters are dropped.
func (s *source) checksText(command string) string {
	var kept []string
	dir := ""
	for _, part := range shellcmd.Segments(command) {
		if to, moves := strings.CutPrefix(part, "cd "); moves {
			dir = s.path(strings.Trim(to, ` "'`))
		}
		part = strings.Join(strings.Fields(shellcmd.Unwrapped(part)), " ")
		if shellcmd.PurposeOf(part) >= shellcmd.Build {
			kept = append(kept, part)
		}
	}
	text := oneLine(strings.Join(kept, " && "), 240)
	if dir != "" && dir != strings.TrimRight(s.in.Session.Dir, "/") {
		text += " (in " + dir + ")"
	}
	return text
}

// addCommits adds what was committed.
func (s *source) addCommits(d *document, b *block, at int64) {
	for _, op := range slices.Backward(s.past) {
		if op.Status != intents.Applied {
			continue
		}
		text := cmp.Or(op.Command, op.Target)
		if op.Op == intents.OpShell {
			if text = shellcmd.FirstCommit(op.Command); text == "" {
				continue
			}
		} else if op.Op != intents.OpCommit {
			continue
		}
		text = "  committed (" + turnRange(op.Turn, op.Turn) + "): " + oneLine(text, 120)
		d.add(b, &line{text: text, class: classCheck, pos: at + op.Seq})
	}
}

// lastEdit is the entry of the newest successful change of a file.
func (s *source) lastEdit() int64 {
	for _, op := range slices.Backward(s.in.Operations) {
		if !op.shell() && op.Status == intents.Applied {
			return op.Seq
		}
	}
	return 0
}
