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

// commandState is one command with its newest run, up to the newest entry of the log.
type commandState struct {
	key     string
	purpose shellcmd.Purpose
	runs    int
	last    *Operation
	text    string           // as it is printed; "" until asked for
	covered *Operation       // a later run that supersedes all its checks
	passed  *commandState    // a later run in which the failing tests, which it selects, passed
	said    shellcmd.Failure // what the output of the newest run says of a failure
	before  []*Operation     // earlier runs that failed, oldest first
}

// commandStates returns the commands that ran in the session: tests first, then builds,
// then the rest; the most recently run first.
func (w *work) commandStates() []*commandState {
	byKey := make(map[string]*commandState)
	var all []*commandState
	for i := range w.in.Operations {
		op := &w.in.Operations[i]
		if op.Op != intents.OpShell || op.Command == "" || w.in.talk.never[op.CallID] {
			continue
		}
		k := w.keyOf(op.Command)
		c := byKey[k.key]
		if c == nil {
			c = &commandState{key: k.key, purpose: k.purpose}
			byKey[k.key] = c
			all = append(all, c)
		}
		c.runs++
		if c.last != nil && c.failing() {
			c.before = append(c.before, c.last)
		}
		c.last = op
	}
	markCovered(all)
	w.markFinished(all)
	slices.SortStableFunc(all, func(a, b *commandState) int {
		return cmp.Or(w.focus.compare(a.key, b.key), cmp.Compare(b.purpose, a.purpose),
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
	line := strings.TrimSpace(op.Outcome)
	return c.said.Found() || c.purpose != shellcmd.Search && intents.ShowsFailure(line, c.purpose >= shellcmd.Build)
}

// outputsRead is how many of the newest checks have their output read.
const outputsRead = 24

// readFailures reads what the newest runs of the checks printed, where that can say more than the exit status.
func (w *work) readFailures() error {
	read := 0
	for _, c := range w.commands {
		piped, failing := shellcmd.Piped(c.last.Command), c.failing()
		if c.purpose < shellcmd.Build && (!failing || c.last.failed()) || c.last.pending() || !piped && !failing ||
			c.covered != nil {
			continue
		}
		if read++; read > outputsRead {
			break
		}
		output, err := w.in.outputOf(c.last)
		if err != nil {
			return err
		}
		c.said = shellcmd.FailureIn(output, c.purpose, failing || piped && c.purpose == shellcmd.Build)
	}
	w.markPassed()
	return nil
}

// open reports whether the failure needs work. A search without hits does not, nor does a check that a later run
// superseded.
func (c *commandState) open() bool {
	return c.purpose != shellcmd.Search && c.covered == nil && c.passed == nil && c.failing()
}

// failedChars bounds what is printed of a failed run's output.
const failedChars = 160

// failure prints how the newest run failed: "exit 1 (turn 5, run ×3) — FAIL users_test.go:12".
func (c *commandState) failure() string {
	text := c.result()
	if said := c.tellingLine(); said != "" {
		text += " — " + said
	}
	return text
}

// result prints how and when the newest run ended: "exit 0 (turn 5, run ×3)". The output of a successful run is
// left out.
func (c *commandState) result() string {
	when := layout.Turn(c.last.Turn)
	if c.runs > 1 {
		when += ", run" + layout.Times(c.runs)
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
		return end + " by exit status, but FAILED by output"
	case c.purpose >= shellcmd.Build && shellcmd.Piped(op.Command):
		end += " (piped)"
	}
	return end
}

// tellingLine says why the newest run failed: the failing tests and the first reason, or the line of its output that
// was recorded.
func (c *commandState) tellingLine() string {
	if !c.said.Found() {
		return outcomeLine(c.last)
	}
	return layout.OneLine(c.said.String(), 2*failedChars)
}

// outcomeLine returns the output of a run in one line, "" if there is none.
func outcomeLine(op *Operation) string {
	return layout.OneLine(shellcmd.BareOutput(cmp.Or(op.Outcome, op.Error)), failedChars)
}

const commandsHead = "[CHECKS AND COMMITS — newest outcome]"

// addCommands adds the block of tests and builds: first those that no later run superseded, then the others in
// short, then the commits.
func addCommands(s *source, d *layout.Document) {
	b := d.Block(&layout.Block{Head: commandsHead, More: layout.CountOf("more command")})
	const commits, earlier = 1 << 20, 1 << 50 // places in the block
	lastEdit := s.work.lastEdit()
	done := make(map[string]bool) // by the printed command: its newest run comes first
	for _, c := range s.work.commands {
		if c.open() {
			done[s.work.printed(c)] = true
		}
	}
	for i, c := range s.work.commands {
		if c.purpose < shellcmd.Build || c.covered != nil || c.open() || c.last.pending() || done[s.work.printed(c)] {
			continue
		}
		done[s.work.printed(c)] = true
		text := barred("  " + s.work.printed(c) + " → " + c.result())
		switch {
		case c.passed != nil:
			text += " — " + strings.Join(c.said.Tests, ", ") + " passed since: " + s.work.printed(c.passed)
		case lastEdit > c.last.Seq:
			text += " [files changed since]"
		}
		d.Add(b, &layout.Line{Text: text, Class: layout.ClassCheck, Anchor: "command:" + c.key, Pos: int64(i)})
	}
	addCommits(s, d, b, commits)
	addFailedBefore(s, d, b)
	add := d.Under(b, layout.Line{Text: "Earlier runs, superseded by later ones (not current):",
		Class: layout.ClassCheck, Pos: earlier})
	for i, c := range s.work.commands {
		if c.purpose < shellcmd.Build || c.covered == nil || done[s.work.printed(c)] {
			continue
		}
		done[s.work.printed(c)] = true
		text := barred("  " + s.work.printed(c) + " → " + c.ending() + " (" + layout.Turn(c.last.Turn) + ")")
		add(layout.Line{Text: text, Class: layout.ClassCheck, Anchor: "command:" + c.key, Pos: earlier + int64(i+1)})
	}
}

// printed is the command as the document shows it: of one that tests or builds only that, and where.
func (w *work) printed(c *commandState) string {
	if c.purpose < shellcmd.Build {
		return layout.OneLine(c.last.Command, 200)
	}
	if c.text == "" {
		c.text = w.checksText(c.last.Command)
	}
	return c.text
}

// checksText returns a command reduced to its tests and builds. The directory follows in parentheses; variables,
// redirections and filters are dropped.
func (w *work) checksText(command string) string {
	var kept []string
	dir := ""
	for _, part := range shellcmd.Segments(command) {
		if to, moves := strings.CutPrefix(part, "cd "); moves {
			dir = w.in.path(strings.Trim(to, ` "'`))
		}
		part = strings.Join(strings.Fields(shellcmd.Unwrapped(part)), " ")
		if shellcmd.PurposeOf(part) >= shellcmd.Build {
			kept = append(kept, part)
		}
	}
	text := layout.OneLine(strings.Join(kept, " && "), 240)
	if dir != "" && dir != strings.TrimRight(w.in.Session.Dir, "/") {
		text += " (in " + dir + ")"
	}
	return text
}

// failuresBefore is how many earlier failures of one check are printed: the newest.
const failuresBefore = 3

// addFailedBefore adds why checks failed before they passed: what did not work is worth as much as what does.
func addFailedBefore(s *source, d *layout.Document, b *layout.Block) {
	const at = 1 << 45
	add := d.Under(b, layout.Line{Text: "Failed before, and passes now:", Class: layout.ClassBefore, Pos: at})
	seen := make(map[string]bool)
	for _, c := range s.work.commands {
		if c.purpose < shellcmd.Build || c.failing() {
			continue
		}
		shown := 0
		for _, op := range slices.Backward(c.before) {
			why := outcomeLine(op)
			if why == "" || seen[why] || shown == failuresBefore {
				continue
			}
			seen[why] = true
			shown++
			run := "  " + layout.OneLine(s.work.printed(c), 80) + " (" + layout.Turn(op.Turn) + "): " + why
			add(layout.Line{Text: barred(run),
				Class: layout.ClassBefore, Pos: at + op.Seq})
		}
	}
}

// addCommits adds what was committed, the newest first.
func addCommits(s *source, d *layout.Document, b *layout.Block, at int64) {
	for _, c := range slices.Backward(s.work.git.Commits) {
		text := strings.TrimSpace("  committed "+c.Hash) + " (" + layout.Turn(c.Turn)
		if c.Amended > 0 {
			text += ", amended" + layout.Times(c.Amended)
		}
		text = "  " + strings.TrimSpace(text) + ")"
		if c.Subject != "" {
			text += ": " + layout.OneLine(c.Subject, 120)
		}
		d.Add(b, &layout.Line{Text: text, Class: layout.ClassCheck, Pos: at + c.Seq})
	}
}

// lastEdit is the entry of the newest successful change of a file.
func (w *work) lastEdit() int64 {
	for _, op := range slices.Backward(w.in.Operations) {
		if !op.shell() && op.Status == intents.Applied {
			return op.Seq
		}
	}
	return 0
}
