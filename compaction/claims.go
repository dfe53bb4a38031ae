package compaction

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction/claims"
	"ctxledger.dev/compaction/quote"
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
)

// ofCommands checks a claim against the recorded runs of tests, builds and other commands.
func (s *source) ofCommands(c claims.Claim) (refuted, unknown string) {
	checks, failing := 0, false
	for _, cmd := range s.commands {
		named := cmd.named(c.Text)
		if cmd.purpose >= shellcmd.Build {
			checks++
			failing = failing || cmd.open()
		}
		last := quote.OneLine(cmd.last.Command, 160) + " last ended with " + cmd.ended()
		switch {
		case (named || cmd.purpose == shellcmd.Test && claims.NamesRuns(c.Plain)) && c.Passed && !c.Failed &&
			cmd.open():
			return last, ""
		case named && c.Failed && !c.Passed && cmd.succeeded() && claims.SaysStill(c.Text):
			return last, ""
		case named && c.Passed == c.Failed && cmd.open() && unknown == "":
			unknown = last
		}
	}
	if unknown == "" && claims.SaysRan(c.Text) && !c.Failed {
		unknown = s.neverRan(c.Text)
	}
	switch claimed := claims.NamesChecks(c.Plain) && c.Passed && !c.Failed; {
	case claimed && checks == 0:
		return "", "no run of a test or a build is recorded"
	case !claimed && checks > 0 && !failing && c.Failed && !c.Passed && claims.SaysNowFailing(c.Text):
		return "no test or build fails: each last ended well", ""
	}
	return "", unknown
}

// neverRan names a command that a text quotes and that never ran, "" for none.
func (s *source) neverRan(text string) string {
	for _, code := range claims.Quoted(text, 10) {
		ran := func(op Operation) bool { return op.shell() && strings.Contains(op.Command, code) }
		if !slices.ContainsFunc(s.in.Operations, ran) {
			return "no run of " + quote.OneLine(code, 160) + " is recorded"
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
	return quote.OneLine(c.ending(), 60) + " (" + quote.Turn(c.last.Turn) + ")"
}

// succeeded reports whether the newest run of a command is known to have ended well.
func (c *commandState) succeeded() bool { return !c.last.pending() && !c.failing() }

// ofFiles checks a claim against what is known of the files that it says were changed: whether the change failed,
// the file is gone, or it was only read.
func (s *source) ofFiles(c claims.Claim) (refuted, unknown string) {
	if !claims.SaysChanged(c.Text) && !claims.SaysGone(c.Text) {
		return "", ""
	}
	changed := false
	for _, f := range s.files {
		if !mentions(c.Text, f.Path) {
			continue
		}
		switch {
		case !f.changed() && f.failed != nil && !c.Failed:
			return "the last " + f.failed.Op + " of " + f.Path + " failed", ""
		case (f.gone() || f.undone()) && !claims.SaysGone(c.Text) && unknown == "":
			unknown = f.Path + " is " + f.done()
		}
		changed = true
	}
	if changed || c.Failed {
		return "", unknown
	}
	for _, r := range s.explored.all {
		if mentions(c.Text, r.path) {
			return "", r.path + " was read, but not changed here"
		}
	}
	return "", unknown
}

// ofDeeds checks a claim of a deed against the commands that were run.
func (s *source) ofDeeds(c claims.Claim) (refuted, unknown string) {
	if c.Failed {
		return "", ""
	}
	for _, d := range claims.Deeds {
		if !d.Claimed(c.Text) {
			continue
		}
		last := s.lastDeed(d)
		switch {
		case last == nil && unknown == "":
			unknown = "no " + d.What + " is recorded"
		case last != nil && !last.pending() && last.failed():
			return quote.OneLine(last.Command, 160) + " failed (" + quote.Turn(last.Turn) + ")", ""
		}
	}
	return "", unknown
}

// lastDeed returns the newest operation that did a deed, or tried.
func (s *source) lastDeed(d claims.Deed) *Operation {
	for i := len(s.in.Operations) - 1; i >= 0; i-- {
		op := &s.in.Operations[i]
		if op.Op == intents.OpCommit && d.What == "commit" || op.shell() && d.DoneBy(op.Command) {
			return op
		}
	}
	return nil
}
