package limittest

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"ctxledger.dev/internal/env"
)

// The limits that Set and Again know, as files of /proc/sys/user. One that is 0 there is reached.
const (
	Instances = "max_inotify_instances"
	Watches   = "max_inotify_watches"
)

// inChild marks a child process.
const inChild = "CTXLEDGER_TEST_CHILD"

// IsChild reports whether this process is one that Child or Again started.
func IsChild() bool { return env.System().Lookup(inChild) != "" }

// Child runs the calling test again in a child process, whose limits it may Set, and reports whether this process is that
// child.
func Child(t *testing.T) bool {
	t.Helper()
	if IsChild() {
		return true
	}
	out := run(t, "true", "^"+t.Name()+"$")
	if !strings.Contains(out, "--- PASS: "+t.Name()) {
		t.Errorf("it did not pass:\n%s", out)
	}
	return false
}

// Set sets a limit of this child process.
func Set(t *testing.T, limit, value string) {
	t.Helper()
	if err := os.WriteFile("/proc/sys/user/"+limit, []byte(value), 0); err != nil {
		t.Fatal(err)
	}
}

// Again runs the package's tests that match a pattern once more, in a child process that has nothing left of a limit. Each of
// them may also be skipped there.
func Again(t *testing.T, limit, pattern string) {
	t.Helper()
	if IsChild() {
		t.Skip("this is the child")
	}
	if out := run(t, "echo 0 >/proc/sys/user/"+limit, pattern); !strings.Contains(out, "--- PASS: ") {
		t.Errorf("none passed:\n%s", out)
	}
}

// run runs tests in a child process, after a command of the shell there, and returns what they say.
func run(t *testing.T, before, pattern string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", before+` && exec "$@"`, "sh",
		os.Args[0], "-test.run="+pattern, "-test.v", "-test.timeout=5m")
	cmd.Env = append(cmd.Environ(), inChild+"=1")
	cmd.SysProcAttr = Namespace()
	out, err := cmd.CombinedOutput()
	if ran := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ran) {
		t.Skipf("no user namespace in which to lower limits: %v", err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}

// Namespace gives a process a user namespace of its own, in which it may lower its limits.
func Namespace() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}
