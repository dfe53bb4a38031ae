package main

import (
	"os"
	"syscall"
)

// peakOfChild returns the peak memory of an exited child in bytes.
func peakOfChild(s *os.ProcessState) int64 {
	if use, ok := s.SysUsage().(*syscall.Rusage); ok {
		return use.Maxrss << 10
	}
	return 0
}
