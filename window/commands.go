package window

import "fmt"

// repeatedCommands lets one word stand for the output of commands that ran again later: how they ended.
func repeatedCommands(s *scene) (out []Edit) {
	newest := map[string]int{} // by command
	for i := range s.acts {
		if a := &s.acts[i]; a.Op == opShell && a.Same != "" && a.result != nil {
			newest[a.Same] = i
		}
	}
	for i := range s.acts {
		a := &s.acts[i]
		if a.Op != opShell || a.Same == "" || newest[a.Same] <= i || a.unit == s.newest() ||
			a.result == nil || a.resultEdited {
			continue
		}
		out = append(out, s.hide(a, s.ended(a))...)
	}
	return out
}

// ended says how a command ended.
func (s *scene) ended(a *act) string {
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
