package config

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"ctxledger.dev/internal/env"
)

// place is a workspace, a user's configuration directory and a ledger's state directory.
type place struct {
	e           env.Env
	root, state string
}

func newPlace(t *testing.T) place {
	t.Helper()
	p := place{alone(t), t.TempDir(), t.TempDir()}
	if err := os.MkdirAll(filepath.Dir(UserFile(p.e)), 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// private returns a temporary directory that nobody else can write, whatever the umask.
func private(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	chmod(t, dir, 0o700)
	return dir
}

// configure writes the workspace's file and the user's; "-" removes one.
func (p place) configure(t *testing.T, workspace, user string) {
	t.Helper()
	for path, text := range map[string]string{filepath.Join(p.root, File): workspace, UserFile(p.e): user} {
		_ = os.Remove(path) // mostly there is none
		if text != "-" {
			write(t, path, []byte(text))
		}
	}
}

func (p place) load() (Config, []Problem) { return Load(p.e, p.root, p.state) }

func TestWhereAUsersFilesAre(t *testing.T) {
	for _, c := range []struct{ goos, home, variable, value, want string }{
		{"linux", "/h", "", "", "/h/.config"},
		{"linux", "/h", "XDG_CONFIG_HOME", "/x", "/x"},
		{"linux", "/h", "XDG_CONFIG_HOME", "relative", "/h/.config"},
		{"linux", "", "", "", ""},
		{"darwin", "/h", "XDG_CONFIG_HOME", "/x", "/h/Library/Application Support"},
		{"windows", "/h", "APPDATA", "/roaming", "/roaming"},
		{"windows", "/h", "", "", "/h/AppData/Roaming"},
	} {
		e := env.Env{Home: filepath.FromSlash(c.home), Lookup: func(name string) string {
			if name == c.variable {
				return c.value
			}
			return ""
		}}
		if got := filepath.ToSlash(userConfig(c.goos, e)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// The user's settings hold over the workspace's, setting by setting.
func TestTheUsersSettingsHoldOverThoseOfAWorkspace(t *testing.T) {
	for _, c := range []struct {
		name, workspace, user string
		right                 func(Config) bool
	}{
		{"each alone", "exports: false\n", "follow: false\n", func(c Config) bool {
			return !c.Follow && !c.Exports && c.FollowFrom.User()
		}},
		{"the same", "\nfollow: false\n", "follow: true\n", func(c Config) bool {
			return c.Follow && c.FollowFrom.User() && c.FollowOver.String() == "ctxledger.yaml:2"
		}},
		{"null says nothing", "follow: false\n", "follow:\n", func(c Config) bool {
			return !c.Follow && !c.FollowFrom.User()
		}},
		{"lists as a whole", "corrections: [a, b]\n", "corrections: [c]\n", func(c Config) bool {
			return reflect.DeepEqual(c.Corrections, []string{"c"})
		}},
		{"context key by key", "context: {clear: {keep: 2, trigger: 0.5}, max_turn_age: 3}\n",
			"context: {clear: {keep: 4}}\n",
			func(c Config) bool {
				return c.Policy.Clear.Keep == 4 && c.Policy.Clear.Trigger == 0.5 && c.Policy.Turns == 3
			}},
		{"agents key by key", "agents: [{name: a, max_in_turn_tool_pairs: 11, max_in_turn_context_tokens: 9}]\n",
			"agents: [{name: A, max_in_turn_tool_pairs: 12}, {name: b}]\n",
			func(c Config) bool {
				return c.Agents["a"].ToolPairs == 12 && c.Agents["a"].InTurnTokens == 9 && len(c.Agents) == 2
			}},
		{"the user's context over a workspace's agents", "agents: [{name: a, context_window: {max_turn_age: 3}}]\n",
			"context: {max_turn_age: 7}\n",
			func(c Config) bool { return c.Agents["a"].Turns == 7 }},
		{"models entry by entry, key by key", "models: {m: {window: 1000, output: 10}, n: {window: 5}}\n",
			"models: {m: {window: 2000}}\n",
			func(c Config) bool {
				m, _ := c.Models.Lookup("m")
				n, _ := c.Models.Lookup("n")
				return m.Window == 2000 && m.Output == 10 && n.Window == 5
			}},
		{"the summarizer as a whole", "summarizer: {kind: command, command: [evil], template: 'x {{$history}}'}\n",
			"\nsummarizer: {kind: command, command: [mine]}\n",
			func(c Config) bool {
				return c.Summarizer.Command[0] == "mine" && c.Summarizer.Template == "" && c.SummarizerFrom.User() &&
					c.SummarizerFrom.Line == 2 && c.SummarizerOver.String() == "ctxledger.yaml:1"
			}},
		{"a workspace's own", "summarizer: {kind: command, command: [theirs]}\n", "follow: true\n",
			func(c Config) bool { return c.Summarizer.Command[0] == "theirs" && !c.SummarizerFrom.User() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.configure(t, c.workspace, c.user)
			got, problems := p.load()
			if len(problems) > 0 || !c.right(got) {
				t.Errorf("%+v, %v", got, problems)
			}
		})
	}
}

// What cannot be used leaves what was valid last; that names no program and no server.
func TestAFileThatCannotBeUsedLeavesTheLastValidSettings(t *testing.T) {
	const good, bad = "follow: false\nsummarizer: {kind: command, command: [x]}\n", "follow: maybe\n"
	const kept, defaults = "its last valid version is in effect instead, without its summarizer",
		"the defaults are in effect instead"
	for _, c := range []struct {
		name, workspace, user string // what is valid first; "-": there is none
		then                  [2]string
		follow                bool
		says                  string
	}{
		{"the workspace's", good, "-", [2]string{bad, "-"}, false, kept},
		{"the user's", "-", good, [2]string{"-", bad}, false, kept},
		{"the user's, and a workspace that would step in", "-", "-", [2]string{good, bad}, false, defaults},
		{"never valid", "-", "-", [2]string{bad, "-"}, true, defaults},
		{"removed in between", good, "-", [2]string{"-", "-"}, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.configure(t, c.workspace, c.user)
			if _, problems := p.load(); len(problems) > 0 {
				t.Fatal(problems)
			}
			p.configure(t, c.then[0], c.then[1])
			got, problems := p.load()
			if got.Follow != c.follow || got.Summarizer != nil || !strings.HasSuffix(joined(problems), c.says) ||
				(len(problems) > 0) != (c.says != "") {
				t.Errorf("%+v, %v", got, problems)
			}
			if c.name != "removed in between" {
				return
			}
			p.configure(t, bad, "-")
			if got, _ := p.load(); !got.Follow {
				t.Error("what was removed came back")
			}
		})
	}
}

func TestACopyIsPrivateAndOfOneTree(t *testing.T) {
	p := newPlace(t)
	p.configure(t, "follow: false\n", "-")
	p.load()
	names, err := os.ReadDir(p.state)
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	if info, err := names[0].Info(); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	other := place{p.e, t.TempDir(), p.state}
	other.configure(t, "follow: maybe\n", "-")
	if got, _ := other.load(); !got.Follow {
		t.Error("one tree has the settings of another")
	}
	gone := filepath.Join(p.state, "none yet")
	if Load(p.e, p.root, gone); exists(gone) {
		t.Error("a state directory was made")
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestAUsersFileIsNobodyElses(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, p *place)
		says string // "": it is read
	}{
		{"private", func(*testing.T, *place) {}, ""},
		{"a link to elsewhere", func(t *testing.T, p *place) {
			real := filepath.Join(private(t), "mine.yaml")
			rename(t, UserFile(p.e), real)
			link(t, real, UserFile(p.e))
		}, ""},
		{"others can write it", func(t *testing.T, p *place) {
			chmod(t, UserFile(p.e), 0o666)
		}, "other users can write"},
		{"its group can write it", func(t *testing.T, p *place) {
			chmod(t, UserFile(p.e), 0o620)
		}, "other users can write"},
		{"others can replace it", func(t *testing.T, p *place) {
			chmod(t, filepath.Dir(UserFile(p.e)), 0o777)
		}, "other users can write"},
		{"in the workspace", func(_ *testing.T, p *place) { p.root = p.e.Home }, "inside this workspace"},
		{"a link into the workspace", func(t *testing.T, p *place) {
			real := filepath.Join(p.root, "theirs.yaml")
			rename(t, UserFile(p.e), real)
			link(t, real, UserFile(p.e))
		}, "inside this workspace"},
		{"a directory", func(t *testing.T, p *place) {
			rename(t, UserFile(p.e), UserFile(p.e)+".old")
			if err := os.Mkdir(UserFile(p.e), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(c.says, "users") {
				t.Skip("no modes on this system")
			}
			p := newPlace(t)
			p.configure(t, "-", "follow: false\n")
			c.make(t, &p)
			got, problems := p.load()
			if got.Follow != (c.says != "") || !strings.Contains(joined(problems), c.says) ||
				(len(problems) == 0) != (c.says == "") {
				t.Errorf("%+v, %v", got, problems)
			}
		})
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip(err)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// A workspace cannot put its user's settings out of force by what fits badly with them.
func TestTheUsersSettingsHoldWhateverAWorkspaceSays(t *testing.T) {
	for _, workspace := range []string{"models:\n" + many(1000), "models: {x/MINE: {window: 7}}\n",
		"context: {keep: {turns: 9000}, warn_at: 9, automatic: false}\n"} {
		p := newPlace(t)
		p.configure(t, workspace, "follow: false\nmodels: {mine: {window: 5}}\ncontext: {compact_turns: 3, cutover_at: 5}\n")
		got, problems := p.load()
		m, _ := got.Models.Lookup("mine")
		if got.Follow || m.Window != 5 || got.Policy.Compact.Turns != 3 || failed(problems) != nil {
			t.Errorf("%.40s: follow is %v, the window %d; %v", workspace, got.Follow, m.Window, problems)
		}
	}
}

// TestTheLastValidVersionHasPlacesOfItsOwn: it may be shorter than the file that cannot be used, and say something as well.
func TestTheLastValidVersionHasPlacesOfItsOwn(t *testing.T) {
	e, root, state := alone(t), t.TempDir(), t.TempDir()
	for _, text := range []string{"follow: true\nexports: true\nunknown: 1\n",
		"# " + strings.Repeat("x", 900) + "\nexports: true\n\tfollow: true\n"} {
		if err := os.WriteFile(filepath.Join(root, File), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, problems := Load(e, root, state)
		if !c.Follow || len(problems) != 1 {
			t.Errorf("%.30s: %v", text, problems)
		}
	}
}
