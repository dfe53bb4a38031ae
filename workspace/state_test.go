package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

func TestStateLiesWhereThePlatformKeepsIt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	for _, c := range []struct {
		name, goos, home string
		vars             map[string]string
		want             string
	}{
		{"linux", "linux", "/h", nil, "/h/.local/state"},
		{"linux, set", "linux", "/h", map[string]string{"XDG_STATE_HOME": "/s"}, "/s"},
		{"linux, relative is ignored", "linux", "/h", map[string]string{"XDG_STATE_HOME": "s"}, "/h/.local/state"},
		{"linux, set, no home", "linux", "", map[string]string{"XDG_STATE_HOME": "/s"}, "/s"},
		{"linux, no home", "linux", "", nil, ""},
		{"macos", "darwin", "/h", nil, "/h/Library/Application Support"},
		{"macos, no home", "darwin", "", nil, ""},
		{"windows", "windows", "/h", map[string]string{"LOCALAPPDATA": "/l"}, "/l"},
		{"windows, unset", "windows", "/h", nil, "/h/AppData/Local"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := env.Env{Home: c.home, Lookup: func(name string) string { return c.vars[name] }}
			if got := userState(c.goos, e); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestWithoutAHomeTheErrorNamesTheWayOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the variables are those of Unix")
	}
	w := newWorld(t)
	delete(w.vars, StateVariable)
	w.env.Home = ""
	_, err := Find(w.env, Options{})
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.HintOf(err), StateVariable) {
		t.Fatalf("error %v, hint %q", err, fault.HintOf(err))
	}
	w.vars[StateVariable] = "relative"
	if _, err := Find(w.env, Options{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a relative state directory: %v", err)
	}
	w.vars[StateVariable] = w.path("state")
	if ws := w.find(Options{}); ws.UserState != filepath.Join(w.path("state"), "user") {
		t.Errorf("user ledger in %s", ws.UserState)
	}
}

func TestWorktreesShareTheLedgerOfTheirRepository(t *testing.T) {
	w := newWorld(t)
	w.dir("p/shop/.git/worktrees/fix")
	w.file("p/shop/.git/worktrees/fix/commondir", "../..\n")
	w.file("p/shop/.git/worktrees/fix/gitdir", w.path("elsewhere/fix/.git")+"\n")
	w.dir("p/shop/sub")
	w.file("elsewhere/fix/.git", "gitdir: "+w.path("p/shop/.git/worktrees/fix")+"\n")
	w.dir("elsewhere/fix/sub")
	w.file("p/shop/.git/modules/lib/config", "[core]\n\tworktree = ../../../lib\n")
	w.file("p/shop/lib/.git", "gitdir: ../.git/modules/lib\n")
	state := func(dir string) Workspace { return w.find(Options{Flag: w.path(dir)}) }

	main, linked := state("p/shop"), state("elsewhere/fix")
	if main.State != linked.State || linked.Name != "shop" || linked.Root == main.Root {
		t.Errorf("main %+v\nlinked %+v", main, linked)
	}
	a, b := state("p/shop/sub"), state("elsewhere/fix/sub")
	if a.State != b.State || a.State == main.State || a.Name != "shop-sub" {
		t.Errorf("a directory inside: %+v\nits twin: %+v", a, b)
	}
	if lib := state("p/shop/lib"); lib.State == main.State || lib.Name != "lib" {
		t.Errorf("submodule %+v", lib)
	}
}

func TestDamagedLinksOfGitFallBackToTheDirectory(t *testing.T) {
	for _, c := range []struct{ name, content string }{
		{"empty", ""}, {"no prefix", "/somewhere"}, {"nowhere", "gitdir: /does/not/exist"},
		{"binary", "gitdir: \x00\xff"}, {"too long", "gitdir: " + strings.Repeat("x/", linkSize)},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.file("p/odd/.git", c.content)
			ws := w.find(Options{Flag: w.path("p/odd")})
			if ws.Name != "odd" || !strings.HasPrefix(filepath.Base(ws.State), "odd-") {
				t.Errorf("%+v", ws)
			}
		})
	}
}

func TestSymbolicLinksLeadToTheSameLedger(t *testing.T) {
	w := newWorld(t)
	dir := w.dir("p/real")
	link := w.path("p/link")
	symlink(t, dir, link)
	if a, b := w.find(Options{Flag: dir}), w.find(Options{Flag: link}); a.State != b.State || b.Root != dir {
		t.Errorf("%+v\n%+v", a, b)
	}
}

func TestTwoDirectoriesOfOneNameHaveTwoLedgers(t *testing.T) {
	w := newWorld(t)
	a, b := w.find(Options{Flag: w.dir("p/a/app")}), w.find(Options{Flag: w.dir("p/b/app")})
	if a.Name != b.Name || a.State == b.State {
		t.Errorf("%+v\n%+v", a, b)
	}
}

func TestNamesAreSafeAsFileNames(t *testing.T) {
	for name, want := range map[string]string{
		"shop": "shop", "My App (2)": "My-App--2", "..": "workspace", "": "workspace", "日本": "workspace",
		"-rf": "rf", ".hidden": "hidden", "a\nb": "a-b", strings.Repeat("x", 99): strings.Repeat("x", nameLength),
	} {
		if got := sanitize(name); got != want {
			t.Errorf("sanitize(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzSanitizeGivesOneSafeName(f *testing.F) {
	f.Add("a/../b")
	f.Add("CON")
	f.Fuzz(func(t *testing.T, name string) {
		safe := sanitize(name)
		if safe == "" || len(safe) > nameLength || safe != filepath.Base(safe) || safe[0] == '.' || safe[0] == '-' {
			t.Fatalf("sanitize(%q) = %q", name, safe)
		}
		if again := sanitize(safe); again != safe {
			t.Fatalf("sanitize(%q) = %q, then %q", name, safe, again)
		}
	})
}

// TestAStatePathThatIsTooLongIsRefused: a ledger was made where some of its files had room and others had not, and errors
// said that it had been moved.
func TestAStatePathThatIsTooLongIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the limit is another one there")
	}
	long := "/" + strings.Repeat(strings.Repeat("d", 99)+"/", 60)
	refused := 0
	for n := 1; n <= 6000; n += 7 {
		base := strings.TrimSuffix(long[:n], "/")
		e := env.Env{Home: "/h", Dir: t.TempDir(), Lookup: func(name string) string {
			return map[string]string{StateVariable: base}[name]
		}}
		w, err := Find(e, Options{})
		if n < 500 && err != nil { // macOS has 1,024 bytes
			t.Fatalf("%d bytes: %v", n, err)
		}
		if err == nil {
			_, err := os.Lstat(filepath.Join(w.State, strings.Repeat("f", longestFile)))
			if errors.Is(err, syscall.ENAMETOOLONG) || refused > 0 {
				t.Fatalf("%d bytes were taken, after %d refusals: %v", n, refused, err)
			}
			continue
		}
		refused++
		if !fault.Is(err, fault.Invalid) || len(err.Error()) > 300 ||
			!strings.Contains(fault.HintOf(err), StateVariable) {
			t.Fatalf("%d bytes: %.400v, hint %q", n, err, fault.HintOf(err))
		}
	}
	if refused == 0 {
		t.Error("none was refused")
	}
}
