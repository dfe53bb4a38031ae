package window

import (
	"fmt"

	"ctxledger.dev/intents"
	"ctxledger.dev/transcript"
)

// repeatedCommands replaces the output of commands that ran again later by their outcome.
func repeatedCommands(s *scene, b *batch) {
	newest := map[string]int{} // by command
	for i := range s.acts {
		if a := &s.acts[i]; a.Op == intents.OpShell && a.Same != "" && a.result != nil {
			newest[a.Same] = i
		}
	}
	for i := range s.acts {
		a := &s.acts[i]
		if a.Op != intents.OpShell || a.Same == "" || newest[a.Same] <= i || a.unit == s.newest() ||
			a.result == nil || a.resultEdited {
			continue
		}
		b.add(a.result.Chars, func() []Edit { return s.hide(a, kept(s.ended(a), a.handle())) })
	}
}

// ended names the outcome of a command. Where the format marks failures, an unmarked output is not examined.
func (s *scene) ended(a *act) string {
	if !a.result.Failed && a.answer.Format == transcript.Anthropic {
		return commandOK
	}
	if s.ExitCode != nil {
		if code, known := s.ExitCode(a.ID); known && code != 0 {
			return fmt.Sprintf(commandFailedAs, code)
		}
	}
	if a.result.Failed {
		return commandFailed
	}
	return commandOK
}
