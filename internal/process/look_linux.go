package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// The places of the parent and of the start among the fields of /proc/PID/stat after the name, see proc_pid_stat(5).
const (
	parentField = 1
	startField  = 19
)

// look returns what the system says about a process; false if there is none.
func look(pid int) (facts, bool) {
	if pid <= 0 {
		return facts{}, false
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return facts{}, false
	}
	return parse(raw)
}

// parse reads the content of a file stat. The name of a program is in parentheses and can contain any byte.
func parse(raw []byte) (facts, bool) {
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
	if len(fields) <= startField {
		return facts{}, false
	}
	parent, err := strconv.Atoi(string(fields[parentField]))
	return facts{parent, string(fields[startField])}, err == nil
}
