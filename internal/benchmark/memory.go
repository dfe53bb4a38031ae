package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// peakOf returns the most memory that a running process has had, in bytes; 0 where the system does
// not keep it in /proc.
func peakOf(pid int) int64 { return statusOf(pid, "VmHWM:") }

// memoryOf returns the memory that a running process has now.
func memoryOf(pid int) int64 { return statusOf(pid, "VmRSS:") }

// statusOf reads a size from what Linux says of a process.
func statusOf(pid int, name string) int64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kib int64
		if rest, ok := strings.CutPrefix(lines.Text(), name); ok {
			if _, err := fmt.Sscan(rest, &kib); err == nil {
				return kib << 10
			}
		}
	}
	return 0
}
