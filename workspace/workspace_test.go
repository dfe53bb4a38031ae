package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// world is a home directory with projects, and the environment of a process in it.
type world struct {
	t    *testing.T
	home string
	vars map[string]string
	env  env.Env
}

func newWorld(t *testing.T) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: filepath.Join(top, "people", "ada"), vars: map[string]string{}}
	w.dir("people/ada")
	w.dir("temp")
	w.env = env.Env{
		Lookup: func(name string) string { return w.vars[name] },
		Home:   w.home, Temp: filepath.Join(top, "temp"), Dir: w.home,
	}
	w.vars[StateVariable] = filepath.Join(top, "state")
	return w
}

// path returns a path below the world's top, given with slashes.
func (w *world) path(name string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(w.home)), filepath.FromSlash(name))
}

func (w *world) dir(name string) string {
	w.t.Helper()
	path := w.path(name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) file(name, content string) string {
	w.t.Helper()
	path := w.path(name)
	w.dir(filepath.ToSlash(filepath.Dir(name)))
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) find(o Options) Workspace {
	w.t.Helper()
	ws, err := Find(w.env, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return ws
}

func TestTheFirstThatNamesADirectoryDecides(t *testing.T) {
	type setup struct {
		flag   string
		vars   map[string]string
		roots  []string
		opened bool
		cwd    string
	}
	for _, c := range []struct {
		name string
		setup
		root, why string // root below the world's top; "": the user ledger only
	}{
		{"flag over all",
			setup{flag: "p/a", vars: map[string]string{Variable: "p/b", "CLAUDE_PROJECT_DIR": "p/c"}, cwd: "p/repo"},
			"p/a", "--workspace"},
		{"variable over hosts",
			setup{vars: map[string]string{Variable: "p/b", "CLAUDE_PROJECT_DIR": "p/c"}, cwd: "p/repo"},
			"p/b", Variable},
		{"host over roots",
			setup{vars: map[string]string{"GEMINI_PROJECT_DIR": "p/c"}, roots: []string{"p/a"}, cwd: "p/repo"},
			"p/c", "GEMINI_PROJECT_DIR"},
		{"a host's own variable over those it sets for others",
			setup{
				vars: map[string]string{"QWEN_PROJECT_DIR": "p/a", "CLAUDE_PROJECT_DIR": "p/b",
					"GEMINI_PROJECT_DIR": "p/b"}}, "p/a", "QWEN_PROJECT_DIR"},
		{"a host's variable that leads nowhere says nothing",
			setup{vars: map[string]string{"CLAUDE_PROJECT_DIR": "p/none"}, cwd: "p/repo"}, "p/repo", ".git"},
		{"roots over the working directory", setup{roots: []string{"p/none", "p/a", "p/b"}, cwd: "p/repo"}, "p/a",
			"root of the client"},
		{"a root after one that is refused", setup{roots: []string{"people/ada", "p/a"}, cwd: "p/repo"}, "p/a",
			"root of the client"},
		{"roots that are all refused are not passed over", setup{roots: []string{"people/ada", "temp"}, cwd: "p/repo"},
			"", "home directory"},
		{"what is open over hosts",
			setup{vars: map[string]string{"CLAUDE_PROJECT_DIR": "p/c"}, roots: []string{"p/a"}, opened: true,
				cwd: "p/repo"}, "p/a", "root of the client"},
		{"the variable over what is open",
			setup{vars: map[string]string{Variable: "p/b"}, roots: []string{"p/a"}, opened: true}, "p/b", Variable},
		{"an editor without a folder",
			setup{vars: map[string]string{"CLAUDE_PROJECT_DIR": "p/c"}, opened: true, cwd: "p/repo"},
			"", "no folder is open"},
		{"marker of an ancestor", setup{cwd: "p/marked/x/y"}, "p/marked", Marker},
		{"repository of an ancestor", setup{cwd: "p/repo/x/y"}, "p/repo", ".git"},
		{"the nearest ancestor", setup{cwd: "p/repo/sub/deep"}, "p/repo/sub", Marker},
		{"a host that names a subdirectory", setup{vars: map[string]string{"CLAUDE_PROJECT_DIR": "p/repo/x/y"}},
			"p/repo", "CLAUDE_PROJECT_DIR is below, holds .git"},
		{"a host that names a workspace inside another",
			setup{vars: map[string]string{"CLAUDE_PROJECT_DIR": "p/repo/sub/deep"}}, "p/repo/sub", Marker},
		{"a root that is a subdirectory", setup{roots: []string{"p/marked/x"}}, "p/marked",
			"root of the client is below, holds " + Marker},
		{"a subdirectory that an editor opened", setup{roots: []string{"p/repo/x"}, opened: true}, "p/repo",
			"root of the client is below"},
		{"a subdirectory that a person names", setup{flag: "p/repo/x"}, "p/repo/x", "--workspace"},
		{"no marker: that directory", setup{cwd: "p/a"}, "p/a", "working directory"},
		{"home is refused", setup{cwd: "people/ada"}, "", "home directory"},
		{"above home is refused", setup{cwd: "people"}, "", "parent of the home directories"},
		{"the temporary directory is refused", setup{cwd: "temp"}, "", "temporary files"},
		{"below the temporary directory is not", setup{cwd: "temp/x"}, "temp/x", "working directory"},
		{"a host in home is refused, not passed over",
			setup{vars: map[string]string{"CLAUDE_PROJECT_DIR": "people/ada"}, cwd: "p/repo"}, "", "home directory"},
		{"a deleted working directory", setup{cwd: "p/none"}, "", "the working directory no longer exists"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for _, d := range []string{
				"p/a", "p/b", "p/c", "p/repo/.git", "p/repo/x/y", "p/repo/sub/deep", "p/marked/x/y", "temp/x",
			} {
				w.dir(d)
			}
			w.file("p/marked/"+Marker, "")
			w.file("p/repo/sub/"+Marker, "")
			o := Options{Opened: c.opened}
			if c.flag != "" {
				o.Flag = w.path(c.flag)
			}
			for name, v := range c.vars {
				w.vars[name] = w.path(v)
			}
			for _, r := range c.roots {
				o.Roots = append(o.Roots, w.path(r))
			}
			w.env.Dir = w.path(c.cwd)
			ws := w.find(o)
			want := ""
			if c.root != "" {
				want = w.path(c.root)
			}
			if ws.Root != want || !strings.Contains(ws.Why, c.why) {
				t.Errorf("root %q (%s), want %q (%s)", ws.Root, ws.Why, want, c.why)
			}
			if (ws.Root == "") != (ws.State == ws.UserState) {
				t.Errorf("state %s, user ledger %s", ws.State, ws.UserState)
			}
		})
	}
}

func TestAHomeDirectoryInGitDoesNotClaimWhatIsBelow(t *testing.T) {
	w := newWorld(t)
	w.dir("people/ada/.git")
	w.env.Dir = w.dir("people/ada/notes")
	if ws := w.find(Options{}); ws.Root != w.env.Dir || !strings.HasPrefix(filepath.Base(ws.State), "notes-") {
		t.Errorf("%+v", ws)
	}
}

func TestWhatAPersonNamesMustBeRight(t *testing.T) {
	w := newWorld(t)
	w.file("p/file", "")
	for _, c := range []struct{ name, value, wrong string }{
		{"missing", w.path("p/none"), "is not a directory"},
		{"a file", w.path("p/file"), "is not a directory"},
		{"home", w.home, "is the home directory"},
		{"root", "/", "root of a file system"},
		{"placeholder", "${workspaceFolder}", "is not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Find(w.env, Options{Flag: c.value})
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.wrong) ||
				!strings.HasPrefix(err.Error(), "--workspace") {
				t.Errorf("flag: %v", err)
			}
			w.vars[Variable] = c.value
			defer delete(w.vars, Variable)
			_, err = Find(w.env, Options{})
			if !fault.Is(err, fault.Invalid) || !strings.HasPrefix(err.Error(), Variable) {
				t.Errorf("variable: %v", err)
			}
		})
	}
}

func TestARelativeFlagCountsFromTheWorkingDirectory(t *testing.T) {
	w := newWorld(t)
	w.dir("p/a")
	w.env.Dir = w.path("p")
	if ws := w.find(Options{Flag: "a"}); ws.Root != w.path("p/a") {
		t.Errorf("root %s", ws.Root)
	}
}

func TestRootsAreFileURIsOrPaths(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	w := newWorld(t)
	dir := w.dir("p/with space")
	uri := "file://" + strings.ReplaceAll(dir, " ", "%20")
	for _, c := range []struct{ name, root, want string }{
		{"path", dir, dir},
		{"uri", uri, dir},
		{"uri with localhost", strings.Replace(uri, "file://", "file://localhost", 1), dir},
		{"another machine", strings.Replace(uri, "file://", "file://server", 1), ""},
		{"another scheme", "vscode-remote://x" + dir, ""},
		{"not a uri", "%zz", ""},
		{"empty", "", ""},
		{"relative", "p", ""},
		{"the file system", "file:///", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.env.Dir = ""
			if ws := w.find(Options{Roots: []string{c.root}}); ws.Root != c.want {
				t.Errorf("root %q (%s)", ws.Root, ws.Why)
			}
		})
	}
}

func TestSystemDirectoriesAreRefused(t *testing.T) {
	unix := refusals{home: "/home/ada", temp: "/var/folders/x/T"}
	windows := refusals{windows: true, home: `C:\Users\Ada`}
	for _, c := range []struct {
		r       refusals
		dir     string
		refused bool
	}{
		{unix, "/usr", true}, {unix, "/usr/share/code", true}, {unix, "/usr/src", true}, {unix, "/usr/src/app", false},
		{unix, "/etc", true}, {unix, "/opt", true}, {unix, "/opt/app", false},
		{unix, "/tmp", true}, {unix, "/tmp/x", false},
		{unix, "/var", true}, {unix, "/var/www/site", false}, {unix, "/home", true}, {unix, "/home/ada", true},
		{unix, "/home/ada/x", false}, {unix, "/home/bob/x", false}, {unix, "/binary", false}, {unix, "/proc/1", true},
		{unix, "/Applications/Claude.app/Contents", true}, {unix, "/Users", true}, {unix, "/private/tmp", true},
		{unix, "/var/folders/x/T", true}, {unix, "/var/folders/x/T/y", false}, {unix, "/work", false},
		{windows, `C:\Windows`, true}, {windows, `C:\WINDOWS\System32`, true},
		{windows, `C:\Program Files\Claude`, true},
		{windows, `C:\Users\ada`, true}, {windows, `C:\Users`, true},
		{windows, `C:\Users\Ada\src`, false}, {windows, `D:\src`, false},
	} {
		if why := c.r.why(c.dir); (why != "") != c.refused {
			t.Errorf("%s: refused %q, want %v", c.dir, why, c.refused)
		}
	}
}

func TestFindCreatesNothing(t *testing.T) {
	w := newWorld(t)
	w.env.Dir = w.dir("p/repo")
	before := tree(t, w.path("."))
	w.find(Options{})
	if after := tree(t, w.path(".")); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func tree(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}

func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}
