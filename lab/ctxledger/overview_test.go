package ctxledger

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheFirstRunOnlyReads: the program without a command says what is there and the next step, whatever is there. It starts no
// daemon, and every file and directory of the home stays as it was.
func TestTheFirstRunOnlyReads(t *testing.T) {
	m := newHome(t)
	own, err := exec.LookPath("ctxledger")
	if err != nil {
		t.Fatal(err)
	}
	m.vars = append(m.vars, "PATH="+filepath.Dir(own)) // no agents of this machine
	m.file("shop/go.mod", "module shop\n")
	look := func(what string, want ...string) {
		t.Helper()
		before := m.snapshot()
		said := m.all("shop", "", "ctxledger") + m.all("shop", "", "ctxledger", "--json")
		for _, w := range want {
			if !strings.Contains(said, w) {
				t.Errorf("%s: no %q in\n%s", what, w, said)
			}
		}
		if after := m.snapshot(); !maps.Equal(before, after) {
			t.Errorf("%s: files were %v, and are %v", what, before, after)
		}
		if said := m.all("shop", "", "ctxledger", "daemon", "status", "--json"); strings.Contains(said, `"running": true`) {
			t.Errorf("%s: %s", what, said)
		}
	}
	look("nothing", "sessions   none here", "ledger     none yet", "agents     none found", "count --tree` shows",
		`"session_files": []`)
	m.file(".claude/settings.json", "{}\n")
	look("an agent", "agents     claude-code: not connected", " install` connects", `"command": "install"`)
	m.shopSessions(2)
	look("sessions", "2 sessions of claude-code, the newest file changed ", "next       `", " audit` shows")
	m.run("shop", "ctxledger", "install", "claude-code", "--yes")
	look("connected", "claude-code: connected", " status` shows")
	files, err := filepath.Glob(filepath.Join(m.home, ".claude/projects/*/*.jsonl"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	written := func(ago time.Duration) {
		for i, file := range files {
			at := time.Now().Add(-ago - time.Duration(i)*time.Minute)
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	written(48 * time.Hour)
	look("sessions that are old", " import "+files[0]+"` reads the newest session, too old to be read automatically")
	written(0)
	m.run("shop", "ctxledger", "memory", "save", "style", "--body", "tabs")
	m.run("shop", "ctxledger", "sessions") // waits until they are read
	const held = "ledger     2 sessions, 1 memory, "
	if said := m.all("shop", "", "ctxledger"); !strings.Contains(said, held) { // what its file said when it was opened is old
		t.Errorf("while a daemon has the ledger open: no %q in\n%s", held, said)
	}
	m.run("shop", "ctxledger", "daemon", "stop")
	look("a ledger", held, " status` shows")
	m.file(".claude/settings.json", "{\"hooks\": {}}\n")
	look("hooks that are gone", "claude-code: partly connected", " doctor` shows")
}

// snapshot returns what each file and directory is like, those of state and configuration too.
func (m *matrix) snapshot() map[string]string {
	m.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(filepath.Dir(m.home), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		if info.Mode().IsRegular() {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(raw[:min(len(raw), 1000)])
		}
		all[path] = fmt.Sprint(info.Mode(), info.ModTime(), info.Size(), text)
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return all
}
