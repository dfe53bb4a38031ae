package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"ctxledger.dev/lab/sandbox"
)

// measureIdle measures the cost of an idle daemon after it has imported the recorded session: its memory
// and its processor time over a period.
func measureIdle(ctx context.Context, b *bench) error {
	watched := time.Duration(b.runs) * 12 * time.Second
	return b.inSandbox(ctx, func(s *sandbox.Sandbox) error {
		if _, err := s.Run(ctx, "import", b.path); err != nil {
			return err
		}
		pid, err := s.Owner(ctx)
		if err != nil {
			return err
		}
		select { // let it become idle
		case <-time.After(settling):
		case <-ctx.Done():
			return ctx.Err()
		}
		before, ok := processorTime(pid)
		if !ok {
			return nil // not supported by the system
		}
		select {
		case <-time.After(watched):
		case <-ctx.Done():
			return ctx.Err()
		}
		after, _ := processorTime(pid)
		share := 100 * (after - before).Seconds() / watched.Seconds()
		b.report.add(fmt.Sprintf("an idle daemon, over %.0f s: processor", watched.Seconds()), fmt.Sprintf("%.2f%%", share), "", "", "1")
		b.report.add("″: memory", megabytes(memoryOf(pid)), "", "", "1")
		return nil
	})
}

// settling is the time after its work until a daemon counts as idle.
const settling = 10 * time.Second

// processorTime returns the time that a process has computed so far, in user and system mode.
func processorTime(pid int) (time.Duration, bool) {
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every Linux
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	var user, system int64
	if len(fields) < 13 {
		return 0, false
	}
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return 0, false
	}
	return time.Duration(user+system) * tick, true
}
