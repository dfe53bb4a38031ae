//go:build linux

package faults_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/lab/crashtest/faults"
	"ctxledger.dev/lab/sandbox"
)

// TestCommandsNameAFault: a command whose system call fails ends with status 1 and says what failed,
// and the same command works afterwards.
func TestCommandsNameAFault(t *testing.T) {
	for _, p := range []faults.Point{
		{Call: "pwrite64", Error: "ENOSPC", N: 1},
		{Call: "pwrite64", Error: "EDQUOT", N: 1},
		{Call: "fdatasync", Error: "EIO", N: 1},
		{Call: "fsync", Error: "EIO", N: 1},
		{Call: "renameat", Error: "ENOSPC", N: 1},
		{Call: "mkdirat", Error: "EDQUOT", N: 1},
		{Call: "mmap", Error: "ENOMEM", N: 1},
		{Call: "openat", Error: "EMFILE", N: 2},
	} {
		t.Run(p.String(), func(t *testing.T) {
			s, err := sandbox.New(filepath.Dir(ctxledger))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(s.Top) })
			place, err := s.Place()
			if err != nil {
				t.Fatal(err)
			}
			put := s.Command(t.Context(), "--in-process", "artifact", "save", "-")
			args := []string{"-f", "-qq", "--signal=none", "-o", filepath.Join(s.Top, "trace"), "-e", "trace=" + p.Call,
				"-e", "inject=" + p.String()}
			for _, path := range concerned(place.State, t.TempDir()) {
				args = append(args, "-P", path)
			}
			cmd := exec.CommandContext(t.Context(), "strace", append(append(args, "--"), put.Args...)...)
			cmd.Dir, cmd.Env, cmd.Stdin = put.Dir, put.Env, strings.NewReader("something to keep")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err = cmd.Run()
			ended, failed := errors.AsType[*exec.ExitError](err)
			if said := stderr.String(); !failed || ended.ExitCode() != 1 || !strings.HasPrefix(said, "ctxledger: ") ||
				strings.Contains(said, "defect") {
				t.Errorf("%v: %s", err, said)
			}
			again := s.Command(t.Context(), "--in-process", "artifact", "save", "-")
			again.Stdin = strings.NewReader("something to keep")
			if out, err := again.CombinedOutput(); err != nil {
				t.Errorf("afterwards: %v: %s", err, out)
			}
		})
	}
}
