package compaction

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
)

// ofCommands checks a claim against the recorded runs of tests, builds and other commands.
func (w *work) ofCommands(c claim) (refuted, unknown string) {
	checks, failing := 0, false
	for _, cmd := range w.commands {
		named := cmd.named(c.Text)
		if cmd.purpose >= shellcmd.Build {
			checks++
			failing = failing || cmd.open()
		}
		last := layout.OneLine(cmd.last.Command, 160) + " last ended with " + cmd.ended()
		switch {
		case (named || cmd.purpose == shellcmd.Test && namesRuns().MatchString(c.Plain)) && c.Passed && !c.Failed &&
			cmd.open():
			return last, ""
		case named && c.Failed && !c.Passed && cmd.succeeded() && saysStill().MatchString(c.Text):
			return last, ""
		case named && c.Passed == c.Failed && cmd.open() && unknown == "":
			unknown = last
		}
	}
	if unknown == "" && saysRan().MatchString(c.Text) && !c.Failed {
		unknown = w.neverRan(c.Text)
	}
	switch claimed := namesChecks().MatchString(c.Plain) && c.Passed && !c.Failed; {
	case claimed && checks == 0:
		return "", "no run of a test or a build is recorded"
	case !claimed && checks > 0 && !failing && c.Failed && !c.Passed && saysNowFailing().MatchString(c.Text):
		return "no test or build fails: the last run of each passed", ""
	}
	return "", unknown
}

// neverRan names a command that a text quotes and that never ran, "" for none.
func (w *work) neverRan(text string) string {
	for _, code := range codeIn(text, 10) {
		ran := func(op Operation) bool { return op.shell() && strings.Contains(op.Command, code) }
		if !slices.ContainsFunc(w.in.Operations, ran) {
			return "no run of " + layout.OneLine(code, 160) + " is recorded"
		}
	}
	return ""
}

// named reports whether a text names a command.
func (c *commandState) named(text string) bool {
	return strings.Contains(text, c.key) || strings.Contains(text, c.last.Command)
}

// ended says how and when the newest run ended: "exit 1 (turn 7)".
func (c *commandState) ended() string {
	return layout.OneLine(c.ending(), 60) + " (" + layout.Turn(c.last.Turn) + ")"
}

// succeeded reports whether the newest run of a command is known to have ended well.
func (c *commandState) succeeded() bool { return !c.last.pending() && !c.failing() }

// ofFiles checks a claim against what is known of the files that it says were changed: whether the change failed,
// the file is gone, or it was only read.
func (w *work) ofFiles(c claim) (refuted, unknown string) {
	if !saysChanged().MatchString(c.Text) && !saysGone().MatchString(c.Text) {
		return "", ""
	}
	changed := false
	for _, f := range w.files {
		if !mentions(c.Text, f.Path) {
			continue
		}
		switch {
		case !f.affected() && f.failed != nil && !c.Failed:
			return "the last " + f.failed.Op + " of " + f.Path + " failed", ""
		case (f.gone() || f.undone()) && !saysGone().MatchString(c.Text) && unknown == "":
			unknown = f.Path + " is " + f.done()
		}
		changed = true
	}
	if changed || c.Failed {
		return "", unknown
	}
	for _, r := range w.explored.all {
		if mentions(c.Text, r.path) {
			return "", r.path + " was read, but not changed here"
		}
	}
	return "", unknown
}

// ofDeeds checks a claim of a deed against the commands that were run.
func (w *work) ofDeeds(c claim) (refuted, unknown string) {
	if c.Failed {
		return "", ""
	}
	for _, d := range deeds {
		if !d.claimed(c.Text) {
			continue
		}
		last := w.lastDeed(d)
		switch {
		case last == nil && unknown == "":
			unknown = "no " + d.what + " is recorded"
		case last != nil && !last.pending() && last.failed():
			return layout.OneLine(last.Command, 160) + " failed (" + layout.Turn(last.Turn) + ")", ""
		}
	}
	return "", unknown
}

// lastDeed returns the newest operation that did a deed, or tried.
func (w *work) lastDeed(d deed) *Operation {
	for i := len(w.in.Operations) - 1; i >= 0; i-- {
		op := &w.in.Operations[i]
		if op.Op == intents.OpCommit && d.what == "commit" || op.shell() && d.doneBy(op.Command) {
			return op
		}
	}
	return nil
}
