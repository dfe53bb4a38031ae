package process

// maxAncestors bounds how far up is looked. A shell in a terminal of an editor has about five ancestors.
const maxAncestors = 64

// Ancestors returns the processes that a process descends from, the nearest first. Nil where that is not known: it has
// no such process, or the system does not tell without a program being started (Windows).
func Ancestors(pid int) (all []int) {
	for range maxAncestors {
		seen, ok := look(pid)
		if !ok || seen.parent <= 0 {
			break
		}
		pid = seen.parent
		all = append(all, pid)
	}
	return all
}

// Start returns when a process was started, in the form in which agents note it: on Linux as /proc/PID/stat has it, on
// macOS as `ps -o lstart=` prints it in the locale C and in UTC. Another process with the same id has another one. ""
// where that is not known.
func Start(pid int) string {
	seen, _ := look(pid)
	return seen.start
}

// facts are what the system says about a process.
type facts struct {
	parent int    // 0: none
	start  string // see Start
}
