package ctxledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/kv"
)

// commands are what the scripts have beyond those of testscript.
var commands = map[string]func(*testscript.TestScript, bool, []string){
	"capture": capture, "lines": lines, "add": add, "first": first, "await": await, "kill9": kill9,
	"listing": listing, "newformat": newFormat, "escaped": escaped, "status": status,
	"flipblob": flipBlob, "flippage": flipPage, "truncate": truncate, "deep": deep, "takeback": takeBack,
	"own": own, "person": person, "agree": agree, "same": same,
}

// capture NAME REGEXP sets a variable to the first group of the regexp's first match in the
// standard output of the last command.
func capture(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: capture NAME REGEXP")
	}
	m := regexp.MustCompile(`(?m)` + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if m == nil {
		ts.Fatalf("nothing matches %s", args[1])
	}
	ts.Setenv(args[0], m[1])
}

// takeback takes back the compaction that the newest session's view starts with.
func takeBack(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Exec("ctxledger", "status", "--json"))
	capture(ts, false, []string{"TAKEN", `^    "summary": "([0-9a-f]{12})"`})
	ts.Check(ts.Exec("ctxledger", "restore", ts.Getenv("TAKEN")))
}

// status N COMMAND… checks that a command ends with that status and without an answer.
func status(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND…")
	}
	got := 0
	err := ts.Exec(args[1], args[2:]...)
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		got = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if out := ts.ReadFile("stdout"); strconv.Itoa(got) != args[0] || out != "" {
		ts.Fatalf("exit status %d, want %s; standard output %q, want none", got, args[0], out)
	}
}

// lines PART WHOLE checks that one file is a run of complete lines of the other, byte for byte.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines PART WHOLE")
	}
	part, whole := ts.ReadFile(args[0]), ts.ReadFile(args[1])
	if !strings.HasSuffix(part, "\n") || !strings.Contains("\n"+whole, "\n"+part) {
		ts.Fatalf("%s (%d bytes) is no run of lines of %s", args[0], len(part), args[1])
	}
}

// add FILE STRING… appends bytes, written as Go strings, to a file.
func add(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: add FILE STRING…")
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	ts.Check(err)
	for _, s := range args[1:] {
		text, err := strconv.Unquote(s)
		ts.Check(err)
		_, err = f.WriteString(text)
		ts.Check(err)
	}
	ts.Check(f.Close())
}

// first N FROM TO writes the first lines of a file to another one.
func first(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: first N FROM TO")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	lines := strings.SplitAfterN(ts.ReadFile(args[1]), "\n", n+1)
	if len(lines) <= n {
		ts.Fatalf("%s has no more than %d lines", args[1], n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Join(lines[:n], "")), 0o644))
}

// await REGEXP COMMAND… runs a command until its standard output matches.
func await(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: await REGEXP COMMAND…")
	}
	re := regexp.MustCompile(`(?m)` + args[0])
	deadline := time.After(20 * time.Second)
	for {
		began := time.Now()
		err := ts.Exec(args[1], args[2:]...)
		if err == nil && re.MatchString(ts.ReadFile("stdout")) {
			return
		}
		select {
		case <-deadline:
			ts.Fatalf("nothing matched %s in time; %v", args[0], err)
		case <-time.After(2 * time.Since(began)): // else the daemon that is waited for gets half of a processor
		}
	}
}

// kill9 PID kills a process the hard way.
func kill9(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: kill9 PID")
	}
	pid, err := strconv.Atoi(args[0])
	ts.Check(err)
	p, err := os.FindProcess(pid)
	ts.Check(err)
	ts.Check(p.Kill())
}

// listing FILE DIR writes the names in a directory to a file.
func listing(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: listing FILE DIR")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[1]))
	ts.Check(err)
	var names strings.Builder
	for _, e := range entries {
		names.WriteString(e.Name() + "\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(names.String()), 0o644))
}

// newFormat DIR marks the ledger in a state directory as one of a newer version.
func newFormat(ts *testscript.TestScript, _ bool, args []string) {
	const bucket, key = kv.Bucket("\x00ctxledger"), "format" // as in kv/bolt
	if len(args) != 1 {
		ts.Fatalf("usage: newformat DIR")
	}
	file := filepath.Join(ts.MkAbs(args[0]), "ledger.db")
	content, err := os.ReadFile(file)
	ts.Check(err)
	ours, newer := kv.Seal(bucket, []byte(key), []byte("1")), kv.Seal(bucket, []byte(key), []byte("9"))
	if !bytes.Contains(content, ours) {
		ts.Fatalf("the ledger is not of format 1")
	}
	ts.Check(os.WriteFile(file, bytes.ReplaceAll(content, ours, newer), 0o600))
}

// same FILE DIR checks that the files below a directory are those that FILE lists, which it writes when there is no such
// file: their names and a hash of their bytes. Sockets and what a daemon says of itself are left out.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same FILE DIR")
	}
	var now strings.Builder
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) == ".log" || d.Name() == "owner.json" {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&now, "%x %s\n", sha256.Sum256(content), path)
		return err
	}))
	before, err := os.ReadFile(ts.MkAbs(args[0]))
	if errors.Is(err, fs.ErrNotExist) {
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(now.String()), 0o600))
		return
	}
	ts.Check(err)
	if now.String() != string(before) {
		ts.Fatalf("the files differ; before:\n%snow:\n%s", before, now.String())
	}
}

// escaped FILE checks that nothing in a file could drive a terminal.
func escaped(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: escaped FILE")
	}
	for i, r := range ts.ReadFile(args[0]) {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u202e' {
			ts.Fatalf("%U at byte %d of %s", r, i, args[0])
		}
	}
}

// stopDaemons stops every daemon that a script left behind.
func stopDaemons(t *testing.T, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "owner.json" {
			return err
		}
		return link.Stop(ctx, filepath.Dir(path))
	})
	if err != nil {
		t.Errorf("stopping the daemons of a script: %v", err)
	}
}

// flipBlob DIR changes one byte in the largest blob of a state directory.
func flipBlob(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: flipblob DIR")
	}
	largest, size := "", int64(0)
	ts.Check(filepath.WalkDir(filepath.Join(ts.MkAbs(args[0]), "blobs"),
		func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Size() > size {
				largest, size = path, info.Size()
			}
			return err
		}))
	content, err := os.ReadFile(largest)
	ts.Check(err)
	content[len(content)/2] ^= 1
	ts.Check(os.WriteFile(largest, content, 0o600))
}

// truncate FILE SIZE shortens a file.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate FILE SIZE")
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// flipPage DIR changes a byte in the middle of an entry of a log in the records of a state directory.
func flipPage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: flippage DIR")
	}
	file := filepath.Join(ts.MkAbs(args[0]), "ledger.db")
	content, err := os.ReadFile(file)
	ts.Check(err)
	found := false
	for at := 0; ; {
		next := bytes.Index(content[at:], []byte(`{"seq":100,`))
		if next < 0 {
			break
		}
		at += next + 4
		content[at] ^= 1
		found = true
	}
	if !found {
		ts.Fatalf("%s has no entry 100", file)
	}
	ts.Check(os.WriteFile(file, content, 0o600))
}

// deep DIR makes directories in a directory until the path of the last one is longer than systems take, and
// puts a text of two tokens into that one.
func deep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: deep DIR")
	}
	root, err := os.OpenRoot(ts.MkAbs(args[0]))
	ts.Check(err)
	name := strings.Repeat("d", 200)
	for range 25 {
		ts.Check(root.Mkdir(name, 0o755))
		inner, err := root.OpenRoot(name)
		ts.Check(err)
		ts.Check(root.Close())
		root = inner
	}
	ts.Check(root.WriteFile("t.txt", []byte("text\n"), 0o600))
	ts.Check(root.Close())
}
