package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/lab/sandbox"
)

// measureMemory measures what a daemon takes while it imports a session of eight megabytes, the long
// one, and one that is four times as long. Its own memory is counted apart from the pages of the ledger's file
// that it has mapped, which the system reclaims when needed.
func measureMemory(ctx context.Context, b *bench) error {
	small, err := b.longer("small", b.big.bytes/8)
	if err != nil {
		return err
	}
	huge, err := b.longer("huge", 4*b.big.bytes)
	if err != nil {
		return err
	}
	var own, mapped []int64
	sessions := []generated{small, b.big, huge}
	for _, g := range sessions {
		err := b.inSandbox(ctx, func(s *sandbox.Sandbox) error {
			o, m, err := memoryOfImport(ctx, s, g)
			own, mapped = append(own, o), append(mapped, m)
			return err
		})
		if err != nil {
			return err
		}
	}
	if own[0] == 0 {
		return nil // the system does not tell
	}
	for i, g := range sessions[1:] {
		b.report.add("highest memory of the daemon during the import of "+megabytes(g.bytes), megabytes(own[i+1]),
			fmt.Sprintf("of %s: %s", megabytes(sessions[i].bytes), megabytes(own[i])), ratio(time.Duration(own[i+1]), time.Duration(own[i])), "1")
		b.report.add("″: mapped pages of the ledger's file", megabytes(mapped[i+1]), "″: "+megabytes(mapped[i]), "", "1")
	}
	return nil
}

// longer generates a session of at least size bytes.
func (b *bench) longer(name string, size int64) (generated, error) {
	return repeat(b.recorded, filepath.Join(b.temp, name, session+".jsonl"), session, size)
}

// memoryOfImport imports a session and returns the most memory of its own, and of mapped files, that
// the daemon was seen to have.
func memoryOfImport(ctx context.Context, s *sandbox.Sandbox, g generated) (own, mapped int64, err error) {
	pid, err := s.Owner(ctx)
	if err != nil {
		return 0, 0, err
	}
	done := make(chan error, 1)
	go func() {
		var t times
		_, err := importOnce(ctx, s, g, &t)
		done <- err
	}()
	for tick := time.NewTicker(2 * time.Millisecond); ; {
		select {
		case err := <-done:
			tick.Stop()
			return own, mapped, err
		case <-tick.C:
			own, mapped = max(own, statusOf(pid, "RssAnon:")), max(mapped, statusOf(pid, "RssFile:"))
		}
	}
}

// memoryOf returns the memory that a running process has now, in bytes; 0 where the system does not
// keep it in /proc.
func memoryOf(pid int) int64 { return statusOf(pid, "VmRSS:") }

// statusOf reads a size from the status of a process.
func statusOf(pid int, name string) int64 { return sizeIn(pid, "status", name) }

// sizeIn reads a size from a file in which Linux describes a process; 0 on other systems.
func sizeIn(pid int, file, name string) int64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/%s", pid, file))
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
