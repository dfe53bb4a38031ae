package compaction

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction/shellcmd"
)

// markPassed finds the failed test runs of which all failing tests passed later, when they were run alone.
func (w *work) markPassed() {
	for _, c := range w.commands {
		for _, test := range c.said.Tests {
			i := slices.IndexFunc(w.commands, func(later *commandState) bool { return later.passes(test, c) })
			if c.passed = nil; i < 0 {
				break
			}
			c.passed = w.commands[i]
		}
	}
}

// passes reports whether a command ran after another, with the same tool, and one test passed in it.
func (c *commandState) passes(test string, after *commandState) bool {
	ran := c.last.Seq > after.last.Seq && !c.last.pending() && !strings.Contains(c.last.Outcome, "no tests to run")
	return ran && !c.failing() && shellcmd.Reruns(c.last.Command, test, after.last.Command)
}
