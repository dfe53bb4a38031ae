//go:build linux

package faults_test

import (
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lab/crashtest/faults"
)

// onTmpfs is a shell line that mounts a small disk and runs a program on it, in a name space where
// that needs no rights.
const onTmpfs = `mount -t tmpfs -o mode=700,"$1" tmpfs "$2" && exec "$3" fill "$2"`

// TestFullDisk: a full disk gives errors that name it and the way out, loses nothing, and the same process
// continues when there is space again.
func TestFullDisk(t *testing.T) {
	for name, options := range map[string]string{
		"no space":  "size=1m",
		"no inodes": "size=64m,nr_inodes=48",
	} {
		t.Run(name, func(t *testing.T) {
			o, err := faults.Run(t.Context(), "unshare", "-Urm", "sh", "-c", onTmpfs, "sh", options,
				t.TempDir(), subject)
			if err != nil {
				t.Fatal(err)
			}
			if !o.Finished || len(o.Failures) < 3 {
				t.Fatalf("%s %+v", o.Stderr, o.Failures)
			}
			for _, f := range o.Failures {
				if f.Code != fault.Full || !strings.Contains(f.Message, "no space") ||
					!strings.Contains(f.Hint, "disk") {
					t.Errorf("attempt %d: code %q, %q, hint %q", f.Step, f.Code, f.Message, f.Hint)
				}
			}
		})
	}
}
