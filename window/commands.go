package window

import "fmt"

// repeatedCommands lets one word stand for the output of commands that ran again later: how they ended.
func repeatedCommands(s *scene) []Edit {
	newest := map[string]int{} // by command
	for i := range s.acts {
		if a := &s.acts[i]; a.Op == opShell && a.Same != "" {
			newest[a.Same] = i
		}
	}
	var batch batch
	for i := range s.acts {
		a := &s.acts[i]
		if a.Op != opShell || a.Same == "" || newest[a.Same] <= i || a.unit == s.newest() ||
			a.result == nil || a.resultEdited {
			continue
		}
		batch.edits = append(batch.edits, s.hide(a, s.ended(a))...)
		batch.chars += a.result.Chars
	}
	return batch.take(s.policy.BatchChars)
}

// ended says how a command ended.
func (s *scene) ended(a *act) string {
	code, known := s.ExitCodes[a.ID]
	switch {
	case known && code != 0:
		return fmt.Sprintf(commandFailedAs, code)
	case a.result.Failed:
		return commandFailed
	}
	return commandOK
}
