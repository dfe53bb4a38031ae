package claudecode

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/safefs"
)

// The bounds of what is read about processes.
const (
	maxProcesses = 500      // entries of the directory: two for each process, and those that were left behind
	maxProcess   = 64 << 10 // bytes of a file, which has about 600
)

// processFile is what Claude Code (2.1.328) writes into the file sessions/PID.json of its configuration directory as long
// as it runs. It writes another session into it when the user begins one with /clear.
type processFile struct {
	Pid       int    `json:"pid"`
	SessionID string `json:"sessionId"`
	ProcStart string `json:"procStart"` // see process.Start
}

// Running returns the processes of Claude Code that descend from some others, such as the shells of terminals, sorted by
// id. Those that another one of them has started are left out: they work for it. Only files of processes that descend
// from those are read, and files that processes have left behind count for nothing.
func Running(e env.Env, below []int) []sessionfile.Process {
	tree, err := safefs.Open(filepath.Join(ConfigDir(e), "sessions"))
	if err != nil || len(below) == 0 {
		return nil
	}
	defer tree.Close() // only read
	entries, _, err := tree.List(".", maxProcesses)
	if err != nil {
		return nil
	}
	found, chains := map[int]sessionfile.Process{}, map[int][]int{}
	for _, entry := range entries {
		pid := pidOf(entry.Name)
		chain := append([]int{pid}, process.Ancestors(pid)...)
		at := slices.IndexFunc(chain, func(p int) bool { return slices.Contains(below, p) })
		if pid == 0 || at < 0 {
			continue
		}
		if session := sessionOf(tree.Read(entry.Name, maxProcess), pid); session != "" {
			found[pid], chains[pid] = sessionfile.Process{Session: session, Below: chain[at]}, chain[1:]
		}
	}
	var out []sessionfile.Process
	for _, pid := range slices.Sorted(maps.Keys(found)) {
		started := func(by int) bool { _, ok := found[by]; return ok }
		if !slices.ContainsFunc(chains[pid], started) {
			out = append(out, found[pid])
		}
	}
	return out
}

// pidOf returns the process that a file is about, 0 for none. The files with other names have keys in them.
func pidOf(name string) int {
	digits, ok := strings.CutSuffix(name, ".json")
	pid, err := strconv.Atoi(digits)
	if !ok || err != nil || pid <= 0 || strconv.Itoa(pid) != digits {
		return 0
	}
	return pid
}

// sessionOf returns the session that a file says a process works on; "" if the file is about an earlier process with the
// same id, or that cannot be known.
func sessionOf(content []byte, pid int) string {
	var f processFile
	if json.Unmarshal(content, &f) != nil || f.Pid != pid || !isUUID().MatchString(f.SessionID) ||
		f.ProcStart == "" || f.ProcStart != process.Start(pid) {
		return ""
	}
	return f.SessionID
}
