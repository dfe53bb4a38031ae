package compaction

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// commandState is one command with its newest run, up to the newest entry of the log.
type commandState struct {
	key     string
	purpose purpose
	runs    int
	last    *Operation
	inRange bool
}

// commandStates returns the commands that ran in the compacted range: tests first, then builds,
// then the rest; the most recently run first.
func (s *source) commandStates() []*commandState {
	byKey := make(map[string]*commandState)
	keys := make(map[string]string) // by command: the same one runs often
	var all []*commandState
	for i := range s.in.Operations {
		op := &s.in.Operations[i]
		if op.Op != opShell || op.Command == "" {
			continue
		}
		key, known := keys[op.Command]
		var p purpose
		if !known {
			key, p = keyOf(op.Command)
			keys[op.Command] = key
		}
		c := byKey[key]
		if c == nil {
			c = &commandState{key: key, purpose: p}
			byKey[key] = c
			all = append(all, c)
		}
		c.runs++
		c.last = op
		c.inRange = c.inRange || op.Seq <= s.last
	}
	all = slices.DeleteFunc(all, func(c *commandState) bool { return !c.inRange })
	slices.SortStableFunc(all, func(a, b *commandState) int {
		if fa, fb := s.focused(a.key), s.focused(b.key); fa != fb {
			return boolFirst(fa)
		}
		return cmp.Or(cmp.Compare(b.purpose, a.purpose), cmp.Compare(b.last.Seq, a.last.Seq))
	})
	return all
}

// failingOutput recognises the telling line of a run that failed although its shell said it did
// not, as in "go test ./... | tail".
var failingOutput = regexp.MustCompile(`^(FAIL|--- FAIL|FAILED|ERROR|[Ee]rror[:\[ ]|E  |npm ERR!|✗|✖|×|panic:|Traceback)|\b[1-9]\d* (failed|failing|failures?|errors?)\b`)

// failing reports whether the newest run of a command is known to have failed.
func (c *commandState) failing() bool {
	op := c.last
	if op.pending() {
		return false
	}
	if op.Status == statusFailed || op.ExitCode != nil && *op.ExitCode != 0 {
		return true
	}
	return c.purpose >= build && failingOutput.MatchString(strings.TrimSpace(op.Outcome))
}

// open reports whether the failure is something to work on: a search that found nothing is not.
func (c *commandState) open() bool { return c.purpose != search && c.failing() }

// result prints how the newest run ended: "exit 1 (turn 5, run ×3) — FAIL users_test.go:12".
func (c *commandState) result() string {
	op := c.last
	var end string
	switch {
	case op.ExitCode != nil:
		end = "exit " + strconv.Itoa(*op.ExitCode)
	case op.pending():
		end = "no result recorded"
	case op.Status == statusFailed:
		end = "failed"
	default:
		end = "ok"
	}
	if c.failing() && (end == "ok" || end == "exit 0") {
		end += ", but its output reports a failure"
	}
	when := turnRange(op.Turn, op.Turn)
	if c.runs > 1 {
		when += ", run" + times(c.runs)
	}
	text := end + " (" + when + ")"
	if said := tellingLine(op); said != "" {
		text += " — " + said
	}
	return text
}

// tellingLine is what the run printed that says most, in one line.
func tellingLine(op *Operation) string {
	said := op.Outcome
	if said == "" {
		said = op.Error
	}
	return oneLine(said, 160)
}

const commandsHead = "[COMMANDS — last outcome of each; what fails is under OPEN WORK]"

// addCommands adds the block of commands whose newest run did not fail.
func (s *source) addCommands(d *document) {
	b := d.block(&block{head: commandsHead, more: s.moreCommands})
	lastEdit := s.lastEdit()
	for i, c := range s.commands {
		if c.open() || c.last.pending() || c.purpose == search {
			continue
		}
		text := "  " + oneLine(c.last.Command, 200) + " → " + c.result()
		if c.purpose >= build && lastEdit > c.last.Seq {
			text += " [before the newest file change]"
		}
		d.add(b, &line{text: text, class: commandClass(c), anchor: "command:" + c.key, pos: int64(i)})
	}
	for _, op := range slices.Backward(s.past) {
		if op.Op == opCommit && op.Status == statusApplied {
			text := "  git commit → " + commitText(&op) + " (" + turnRange(op.Turn, op.Turn) + ")"
			d.add(b, &line{text: text, class: classCommand, pos: 1<<30 + op.Seq})
		}
	}
}

// commandClass puts what is neither a test nor a build behind what is.
func commandClass(c *commandState) class {
	if c.purpose >= build {
		return classCommand
	}
	return classOld
}

func commitText(op *Operation) string {
	text := cmp.Or(op.Target, op.Command, op.Outcome)
	return `"` + oneLine(text, 160) + `"`
}

// lastEdit is the entry of the newest successful change of a file.
func (s *source) lastEdit() int64 {
	for _, op := range slices.Backward(s.in.Operations) {
		if !op.shell() && op.Status == statusApplied {
			return op.Seq
		}
	}
	return 0
}

func (s *source) moreCommands(left []*line) string {
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("  … and %s more command(s)", thousands(len(left)))
}
