package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/version"
	"ctxledger.dev/lab/programtest"
)

var whole = flag.Bool("whole", false, "build for all platforms")

const older = "0.0.9"

// source copies the source to a directory, without tests, as a person has it who unpacked it.
func source(t *testing.T, dir string) string {
	t.Helper()
	list, err := command(nil, "git", "-C", "../..", "ls-files", "-co", "--exclude-standard", "-z")
	check(t, err)
	for name := range strings.SplitSeq(strings.Trim(list, "\x00"), "\x00") {
		if strings.HasSuffix(name, "_test.go") || strings.Contains("/"+name, "/testdata/") && name != "testdata/sessions/shop.jsonl" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		check(t, err)
		check(t, file{name, 0o644, text}.write(dir))
	}
	return dir
}

// build builds a release of the source in a directory there, and returns where it is.
func build(t *testing.T, dir string, variables ...string) string {
	t.Helper()
	p, err := host()
	check(t, err)
	var args []string
	if !*whole {
		args = []string{"-platforms", p.name}
	}
	tool := filepath.Join(dir, ".cache", "release")
	in(t, dir, nil, "go", "build", "-C", "lab", "-o", tool, "./release")
	in(t, dir, append(variables, "SOURCE_DATE_EPOCH=1790000000"), tool, append(args, "dist")...)
	return filepath.Join(dir, "dist")
}

// in runs a program in a directory, and returns what it prints.
func in(t *testing.T, dir string, variables []string, name string, arguments ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, arguments...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), append(variables, "GOWORK=off")...) // a copy is not in the workspace of this test
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, errs.Bytes())
	}
	return string(out)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestRealRelease builds a release twice, in two directories, and installs it in each way in an empty home.
func TestRealRelease(t *testing.T) {
	here := source(t, filepath.Join(t.TempDir(), "a"))
	dist := build(t, here)
	t.Run("reproducible", func(t *testing.T) {
		there := source(t, filepath.Join(t.TempDir(), "another", "directory with a repository"))
		in(t, there, nil, "git", "init", "-q")
		in(t, there, nil, "git", "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-q", "--allow-empty", "-m", "a")
		again := build(t, there, "TZ=Asia/Kathmandu", "LC_ALL=C", "GOAMD64=v3")
		same(t, sumsOf(t, dist), sumsOf(t, again))
	})
	t.Run("parts", func(t *testing.T) { parts(t, dist) })
	p, err := host()
	check(t, err)
	archive := filepath.Join(dist, fmt.Sprintf("ctxledger-%s-%s-%s.tar.gz", version.Version, p.system, p.arch))
	t.Run("archive", func(t *testing.T) {
		h := newHome(t)
		h.sh(t, "mkdir -p ~/.local && tar -xzf "+archive+" -C ~/.local --strip-components=1")
		h.use(t, filepath.Join(h.Home, ".local", "bin"))
		h.sh(t, "cd ~/.local/share/doc/ctxledger && "+firstSteps(t)+" && ctxledger daemon stop")
		h.sh(t, "bash -n .local/share/bash-completion/completions/ctxledger")
		h.sh(t, "ctxledger daemon stop; tar -tzf "+archive+" | cut -d/ -f2- | (cd ~/.local && xargs -I{} sh -c 'rm {}; rmdir -p $(dirname {}) 2>/dev/null; :') && test ! -e ~/.local/bin && test ! -e ~/.local/share")
		h.nothing(t, ".local/bin", ".local/share")
	})
	t.Run("npm", func(t *testing.T) {
		h := newHome(t)
		packages := filepath.Join(dist, "ctxledger-"+version.Version+".tgz") + " " +
			filepath.Join(dist, "ctxledger-"+p.name+"-"+version.Version+".tgz")
		h.sh(t, "cd project && npm install --offline --no-audit --no-fund "+packages)
		h.use(t, filepath.Join(h.Root, "node_modules", ".bin"))
		said := h.sh(t, "cd project && npx --offline ctxledger audit session.jsonl")
		if !strings.Contains(said, "166 requests") {
			t.Errorf("npx ctxledger audit: %s", said)
		}
		if said := h.sh(t, "cd project && npx --offline ctxledger nonsense || echo ended with $?"); !strings.Contains(said, "with 2") {
			t.Errorf("the exit status is lost: %s", said)
		}
		h.sh(t, "cd project && ctxledger daemon stop && npm uninstall --offline --no-audit --no-fund ctxledger @ctxledger/"+p.name)
		h.nothing(t, "project/node_modules/.bin", "project/node_modules/ctxledger", "project/node_modules/@ctxledger")
	})
	t.Run("checkout", func(t *testing.T) {
		h := newHome(t)
		in(t, here, nil, "make", "install", "DESTDIR="+h.Home, "PREFIX=/usr")
		h.use(t, filepath.Join(h.Home, "usr", "bin"))
		h.sh(t, "ctxledger daemon stop")
		in(t, here, nil, "make", "uninstall", "DESTDIR="+h.Home, "PREFIX=/usr")
		h.nothing(t, "usr")
	})
	t.Run("go install", func(t *testing.T) {
		h := newHome(t)
		in(t, here, []string{"GOBIN=" + filepath.Join(h.Home, "go", "bin"), "CGO_ENABLED=0"}, "go", "install", "./cmd/...")
		h.use(t, filepath.Join(h.Home, "go", "bin"))
	})
	t.Run("upgrade", func(t *testing.T) { upgrade(t, archive) })
}

// sumsOf returns the sums of a release, once they are compared with its files.
func sumsOf(t *testing.T, dist string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dist, sumsName))
	check(t, err)
	sums := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		text, err := os.ReadFile(filepath.Join(dist, name))
		check(t, err)
		if is := sha256.Sum256(text); sum != hex.EncodeToString(is[:]) {
			t.Errorf("%s has another sum", name)
		}
		sums[name] = sum
	}
	check(t, filepath.WalkDir(dist, func(path string, d fs.DirEntry, err error) error {
		if name, _ := filepath.Rel(dist, path); err == nil && !d.IsDir() && name != sumsName && sums[name] == "" {
			t.Errorf("%s has no sum", name)
		}
		return err
	}))
	return sums
}

func same(t *testing.T, a, b map[string]string) {
	t.Helper()
	for name, sum := range a {
		if b[name] != sum {
			t.Errorf("%s differs", name)
		}
	}
	if len(a) != len(b) || len(a) < 9 {
		t.Errorf("%d files, and %d", len(a), len(b))
	}
}

// parts checks that the list of parts has each module of the programs.
func parts(t *testing.T, dist string) {
	raw, err := os.ReadFile(filepath.Join(dist, "ctxledger-"+version.Version+".cdx.json"))
	check(t, err)
	var b bill
	check(t, json.Unmarshal(raw, &b))
	p, err := host()
	check(t, err)
	for _, name := range programs {
		said := in(t, ".", nil, "go", "version", "-m", filepath.Join(dist, p.name, name))
		for line := range strings.Lines(said) {
			f := strings.Fields(line)
			if len(f) == 0 || f[0] != "dep" {
				continue
			}
			if !slices.ContainsFunc(b.Parts, func(x part) bool {
				return x.URL == "pkg:golang/"+f[1]+"@"+f[2] && x.More[0].Value == f[3]
			}) {
				t.Errorf("%s has %s, which the list lacks", name, f[1])
			}
		}
	}
}

// home is an empty one, with a project in it.
type home struct {
	programtest.Place
	bin string
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{Place: programtest.NewPlace(t)}
	h.Home = filepath.Dir(h.Root)
	h.State = filepath.Join(h.Home, ".local", "state", "ctxledger")
	recorded, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	check(t, err)
	check(t, file{"session.jsonl", 0o644, recorded}.write(h.Root))
	check(t, file{"README.md", 0o644, []byte("one two three\n")}.write(h.Root))
	h.StopDaemons(t)
	return h
}

// firstSteps returns the commands of docs/start.md that an archive and a checkout have in common.
func firstSteps(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/start.md")
	check(t, err)
	_, both, ok := strings.Cut(string(page), "in both:")
	var commands []string
	for line := range strings.Lines(both) {
		if command, typed := strings.CutPrefix(line, "$ "); typed {
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	if !ok || len(commands) == 0 {
		t.Fatal("docs/start.md has no commands for both")
	}
	return strings.Join(commands, " && ")
}

// sh runs a line in the home, as a person would.
func (h *home) sh(t *testing.T, line string) string {
	t.Helper()
	cmd := h.Command(t, "sh", "-c", line)
	cmd.Dir = h.Home
	cmd.Env = append(cmd.Env, "npm_config_update_notifier=false", "PATH="+h.bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// use does with the programs in a directory what people do, and leaves a daemon behind.
func (h *home) use(t *testing.T, bin string) {
	t.Helper()
	h.bin = bin
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	for line, want := range map[string]string{
		"ctxledger --version":                   "ctxledger " + version.Version,
		"ctxledger count README.md":             "4",
		"ctxledger audit session.jsonl":         "166 requests",
		"ctxledger status":                      "daemon, pid",
		"echo '" + initialize + "' | ctxmcp":    `"serverInfo":{"name":"ctxledger"`,
		"ctxlsp --version; ctxhook nothing end": "",
	} {
		if said := h.sh(t, "cd project && "+line); !strings.Contains(said, want) {
			t.Errorf("%s: %.600s", line, said)
		}
	}
}

// nothing fails for a file in directories from which all was removed.
func (h *home) nothing(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		_ = filepath.WalkDir(filepath.Join(h.Home, dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				t.Errorf("%s is left", path)
			}
			return nil
		})
	}
}

// upgrade unpacks an archive over an older one whose daemon runs.
func upgrade(t *testing.T, archive string) {
	old := source(t, filepath.Join(t.TempDir(), "old"))
	path := filepath.Join(old, "internal", "version", "version.go")
	text, err := os.ReadFile(path)
	check(t, err)
	check(t, os.WriteFile(path, bytes.Replace(text, []byte(`"`+version.Version+`"`), []byte(`"`+older+`"`), 1), 0o644))
	h := newHome(t)
	unpack := "mkdir -p .local && tar -xzf %s -C .local --strip-components=1"
	h.sh(t, fmt.Sprintf(unpack, strings.ReplaceAll(filepath.Join(build(t, old), filepath.Base(archive)), version.Version, older)))
	h.bin = filepath.Join(h.Home, ".local", "bin")
	h.sh(t, "cd project && ctxledger memory save style --body tabs")
	if said := h.sh(t, "cd project && ctxledger daemon status"); !strings.Contains(said, older) {
		t.Errorf("the older one: %s", said)
	}
	h.sh(t, fmt.Sprintf(unpack, archive))
	if said := h.sh(t, "cd project && ctxledger memory get style"); !strings.Contains(said, "tabs") {
		t.Errorf("what the older one saved: %s", said)
	}
	if said := h.sh(t, "cd project && ctxledger daemon status"); !strings.Contains(said, version.Version) {
		t.Errorf("the newer one: %s", said)
	}
}
