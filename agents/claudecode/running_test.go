//go:build linux || darwin

package claudecode

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/process"
)

// written is what Claude Code 2.1.328 wrote into the file of its process, with %[1]d its id, %[2]s its session and %[3]s
// its start. The name of the machine is left out.
const written = `{"pid":%[1]d,"sessionId":%[2]q,"cwd":"/home/dev/shop","startedAt":1795648151213,"procStart":%[3]q,` +
	`"version":"2.1.328","peerProtocol":1,"peerFeatures":["notify_idle","reply_across_default_dirs","artifact_yield"],` +
	`"kind":"interactive","entrypoint":"cli","pidDomain":"linux:0:pid:[4026531836]","asksForConvertedSkills":null,` +
	`"messagingSocketPath":"/tmp/cc-socks/1.sock","name":"shop-4b","nameSource":"derived",` +
	`"nameSince":1795648151213,"status":"idle","updatedAt":1795648151498,"statusUpdatedAt":1795648151498}`

// The sessions of the test.
const (
	sessionA = "fc67d518-ef2e-40e0-bec1-ca5ee4c3b255"
	sessionB = "93dbd1eb-ee20-4083-a2c4-de72c8ff3bca"
)

// shell starts a shell, as in a terminal, that starts a program that waits for it, and returns the ids of both.
func shell(t *testing.T) (shell, program int) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", `sh -c 'echo $$; read -r end' <&3; exit`)
	wait, release, err := os.Pipe()
	must(t, err)
	cmd.ExtraFiles = []*os.File{wait}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		release.Close()
		wait.Close()
		_ = cmd.Wait() // its status says that nothing was read
	})
	_, err = fmt.Fscan(out, &program)
	must(t, err)
	return cmd.Process.Pid, program
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestProcessesAreFoundByTheirTerminals has two shells, in each of which a program runs that could be an agent. A file is
// "WHO CONTENT", where A and B are the programs and SA and SB their shells.
func TestProcessesAreFoundByTheirTerminals(t *testing.T) {
	shellA, a := shell(t)
	shellB, b := shell(t)
	of := func(pid int, session string) string { return fmt.Sprintf(written, pid, session, process.Start(pid)) }
	file := strconv.Itoa
	for _, c := range []struct {
		name  string
		files map[string]string
		below []int
		want  []sessionfile.Process
	}{
		{"nothing is asked", map[string]string{file(a): of(a, sessionA)}, nil, nil},
		{"no agent runs", nil, []int{shellA}, nil},
		{"of two terminals", map[string]string{file(a): of(a, sessionA), file(b): of(b, sessionB)}, []int{shellA},
			[]sessionfile.Process{{Session: sessionA, Below: shellA}}},
		{"both", map[string]string{file(a): of(a, sessionA), file(b): of(b, sessionB)}, []int{shellB, shellA},
			[]sessionfile.Process{{Session: sessionA, Below: shellA}, {Session: sessionB, Below: shellB}}},
		{"it is the process of the terminal itself", map[string]string{file(a): of(a, sessionA)}, []int{a},
			[]sessionfile.Process{{Session: sessionA, Below: a}}},
		{"one that another one has started",
			map[string]string{file(shellA): of(shellA, sessionB), file(a): of(a, sessionA)}, []int{os.Getpid()},
			[]sessionfile.Process{{Session: sessionB, Below: os.Getpid()}}},
		{"one whose terminal an agent has started",
			map[string]string{file(os.Getpid()): of(os.Getpid(), sessionB), file(a): of(a, sessionA)}, []int{shellA},
			[]sessionfile.Process{{Session: sessionA, Below: shellA}}},
		{"an earlier process with that id",
			map[string]string{file(a): fmt.Sprintf(written, a, sessionA, "1")}, []int{shellA}, nil},
		{"a file of another one", map[string]string{file(a): of(b, sessionA)}, []int{shellA}, nil},
		{"an older version, which does not say when it began",
			map[string]string{file(a): fmt.Sprintf(`{"pid":%d,"sessionId":%q}`, a, sessionA)}, []int{shellA}, nil},
		{"a file that is being written", map[string]string{file(a): of(a, sessionA)[:80]}, []int{shellA}, nil},
		{"no session", map[string]string{file(a): of(a, "../../x")}, []int{shellA}, nil},
		{"a long file",
			map[string]string{file(a): of(a, sessionA) + strings.Repeat(" ", maxProcess)}, []int{shellA}, nil},
		{"names that are none", map[string]string{"0" + file(a): of(a, sessionA), "-1": "", "x": "",
			"99999999999999999999": ""}, []int{shellA}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := env.System()
			config := t.TempDir()
			e.Lookup = func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": config}[name] }
			must(t, os.MkdirAll(filepath.Join(config, "sessions"), 0o700))
			for name, content := range c.files {
				must(t, os.WriteFile(filepath.Join(config, "sessions", name+".json"), []byte(content), 0o600))
			}
			slices.SortFunc(c.want, func(x, y sessionfile.Process) int { return strings.Compare(x.Session, y.Session) })
			got := Running(e, c.below)
			slices.SortFunc(got, func(x, y sessionfile.Process) int { return strings.Compare(x.Session, y.Session) })
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestOnlyFilesOfProcessesAreOpened has pipes at the names of files.
func TestOnlyFilesOfProcessesAreOpened(t *testing.T) {
	shellA, a := shell(t)
	e := env.System()
	config := t.TempDir()
	e.Lookup = func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": config}[name] }
	dir := filepath.Join(config, "sessions")
	must(t, os.MkdirAll(dir, 0o700))
	for _, name := range []string{fmt.Sprintf("%d.json", a), fmt.Sprintf("%d.%064d.key", a, 1)} {
		must(t, syscall.Mkfifo(filepath.Join(dir, name), 0o600))
	}
	if got := Running(e, []int{shellA}); got != nil {
		t.Errorf("of pipes: %v", got)
	}
	for i := range maxProcesses {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("x%d", i)), nil, 0o600))
	}
	if got := Running(e, []int{shellA}); got != nil {
		t.Errorf("of a directory with too many files: %v", got)
	}
}
