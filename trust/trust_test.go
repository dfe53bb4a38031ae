package trust_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/terminaltest"
	"ctxledger.dev/trust"
	"ctxledger.dev/workspace"
)

// place is a workspace and a person's home.
type place struct {
	e  env.Env
	ws workspace.Workspace
}

// newPlace makes one with a program "writer" in the workspace, another one in PATH, and a script.
func newPlace(t *testing.T) place {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{"root/writer", "in the workspace", 0o700}, {"root/tools/sum.py", "print()", 0o600},
		{"root/bin/mine", "in the workspace", 0o700},
		{"bin/writer", "in PATH", 0o700}, {"bin/plain", "no program", 0o600},
		{"home/.config/ctxledger/beside", "beside", 0o700}, {"state/user/.keep", "", 0o600},
	} {
		path := filepath.Join(top, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, path, f.text)
		if err := os.Chmod(path, f.mode); err != nil {
			t.Fatal(err)
		}
	}
	e := env.System()
	e.Home = filepath.Join(top, "home")
	path := strings.Join([]string{"relative", filepath.Join(top, "root", "bin"), filepath.Join(top, "bin")},
		string(filepath.ListSeparator))
	e.Lookup = func(name string) string {
		return map[string]string{"PATH": path, "GITHUB_TOKEN": "ghp_x", "HOME": e.Home, "SECRET": "s"}[name]
	}
	return place{e, workspace.Workspace{Root: filepath.Join(top, "root"), State: filepath.Join(top, "state", "ledger"),
		UserState: filepath.Join(top, "state", "user")}}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// repository writes the summarizer of the workspace, and own that of the user.
func (p place) repository(t *testing.T, text string) {
	put(t, filepath.Join(p.ws.Root, config.File), "summarizer: "+text)
}

func (p place) own(t *testing.T, text string) {
	put(t, config.UserFile(p.e), "summarizer: "+text)
}

// confirm lets a person answer on a terminal, and returns what they were shown.
func (p place) confirm(t *testing.T, typed string) (shown string, err error) {
	t.Helper()
	person, program := terminaltest.Open(t)
	done := terminaltest.Answer(t, person, program, "until it changes: ", typed)
	_, err = trust.Confirm(p.e, p.ws, program, program)
	return done(), err
}

const server = "{kind: openai, url: https://a.example/v1, model: m, key_env: GITHUB_TOKEN}\n"

// What a workspace names is denied until a person confirms it, and again when any part of it changes.
func TestAChangeOfWhatWasConfirmedAsksAgain(t *testing.T) {
	for _, c := range []struct {
		name, asks string
		change     func(t *testing.T, p place)
		still      bool // it remains confirmed
	}{
		{"nothing", server, func(*testing.T, place) {}, true},
		{"another setting", server, func(t *testing.T, p place) {
			put(t, filepath.Join(p.ws.Root, config.File), "# more\nexports: false\nsummarizer: "+server)
		}, true},
		{"the host", server, rewrite("{kind: openai, url: https://b.example/v1, model: m, key_env: GITHUB_TOKEN}\n"),
			false},
		{"the port", server,
			rewrite("{kind: openai, url: 'https://a.example:8443/v1', model: m, key_env: GITHUB_TOKEN}\n"), false},
		{"the variable", server, rewrite("{kind: openai, url: https://a.example/v1, model: m, key_env: SECRET}\n"),
			false},
		{"the model", server,
			rewrite("{kind: openai, url: https://a.example/v1, model: dear, key_env: GITHUB_TOKEN}\n"), false},
		{"a template", server,
			rewrite("{kind: openai, url: https://a.example/v1, model: m, key_env: GITHUB_TOKEN, template: '{{$history}}'}\n"),
			false},
		{"a program instead", server, rewrite("{kind: command, command: [writer]}\n"), false},
		{"an argument", "{kind: command, command: [writer, a]}\n",
			rewrite("{kind: command, command: [writer, b]}\n"), false},
		{"the program's bytes", "{kind: command, command: [./writer]}\n", overwrite("writer", "evil"), false},
		{"the script's bytes", "{kind: command, command: [writer, tools/sum.py]}\n",
			overwrite("tools/sum.py", "evil"), false},
		{"a script behind =", "{kind: command, command: [writer, --run=tools/sum.py]}\n",
			overwrite("tools/sum.py", "evil"), false},
		{"a file that an argument did not name before", "{kind: command, command: [writer, new]}\n",
			overwrite("new", "evil"), false},
		{"a file that no argument names", "{kind: command, command: [writer, tools/sum.py]}\n",
			overwrite("tools/other.py", "x"), true},
		{"the key's program", "{kind: openai, url: https://a.example, model: m, key_command: [./writer]}\n",
			overwrite("writer", "evil"), false},
		{"a program of that name in an earlier directory", "{kind: command, command: [writer]}\n",
			func(t *testing.T, p place) {
				path := filepath.Join(p.ws.Root, "bin", "writer")
				put(t, path, "evil")
				if err := os.Chmod(path, 0o700); err != nil {
					t.Fatal(err)
				}
			}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.repository(t, c.asks)
			_, err := trust.Check(p.e, p.ws)
			if !fault.Is(err, fault.Denied) || !strings.Contains(fault.HintOf(err), "`ctxledger config trust`") {
				t.Fatalf("unasked: %v", err)
			}
			if _, err := p.confirm(t, "yes\n"); err != nil {
				t.Fatal(err)
			}
			before, err := trust.Check(p.e, p.ws)
			if err != nil {
				t.Fatal(err)
			}
			c.change(t, p)
			if _, err := trust.Check(p.e, p.ws); (err == nil) != c.still || err != nil && !fault.Is(err, fault.Denied) {
				t.Errorf("after the change: %v", err)
			}
			for _, q := range before.Ask().Programs { // what was approved a moment ago is looked at again
				_, err := before.Program(q.Setting)
				changed := strings.Contains(c.name, "bytes") || strings.Contains(c.name, "behind =") ||
					strings.HasPrefix(c.name, "a file that an") || c.name == "the key's program"
				if (err != nil) != changed {
					t.Errorf("run: %v", err)
				}
			}
		})
	}
}

func rewrite(asks string) func(*testing.T, place) {
	return func(t *testing.T, p place) { p.repository(t, asks) }
}

func overwrite(name, text string) func(*testing.T, place) {
	return func(t *testing.T, p place) { put(t, filepath.Join(p.ws.Root, name), text) }
}

// A consent of one tree is none of another with the same file, nor of another that a link leads to.
func TestAConsentIsOfOneTree(t *testing.T) {
	p := newPlace(t)
	p.repository(t, server)
	if _, err := p.confirm(t, "yes\n"); err != nil {
		t.Fatal(err)
	}
	other := p
	other.ws.Root = filepath.Join(filepath.Dir(p.ws.Root), "clone")
	if err := os.Mkdir(other.ws.Root, 0o700); err != nil {
		t.Fatal(err)
	}
	other.repository(t, server)
	if _, err := trust.Check(other.e, other.ws); !fault.Is(err, fault.Denied) {
		t.Error(err)
	}
	list, err := trust.List(p.ws)
	if err != nil || len(list) != 1 || list[0].Ask.Root != p.ws.Root {
		t.Errorf("%+v, %v", list, err)
	}
	if err := trust.Revoke(p.ws, p.ws.Root); err != nil {
		t.Fatal(err)
	}
	if _, err := trust.Check(p.e, p.ws); !fault.Is(err, fault.Denied) {
		t.Errorf("revoked: %v", err)
	}
	if err := trust.Revoke(p.ws, p.ws.Root); !fault.Is(err, fault.NotFound) {
		t.Errorf("revoked again: %v", err)
	}
}

// Only the word yes, typed on a terminal, is an answer.
func TestOnlyAPersonAtATerminalConfirms(t *testing.T) {
	p := newPlace(t)
	p.repository(t, server)
	for _, typed := range []string{"\n", "y\n", "no\n", "yes please\n", "YES\n", "\x04"} {
		if _, err := p.confirm(t, typed); !fault.Is(err, fault.Denied) {
			t.Errorf("%q: %v", typed, err)
		}
	}
	person, tty := terminaltest.Open(t)
	if _, err := person.WriteString("yes\n"); err != nil {
		t.Fatal(err)
	}
	done := terminaltest.Answer(t, person, tty, "until it changes: ", "no\n")
	if _, err := trust.Confirm(p.e, p.ws, tty, tty); !fault.Is(err, fault.Denied) {
		t.Errorf("answered before it was asked: %v, %s", err, done())
	}
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := out.WriteString("yes\n"); err != nil || out.Close() != nil {
		t.Fatal(err)
	}
	_, program := terminaltest.Open(t)
	var said bytes.Buffer
	if _, err := trust.Confirm(p.e, p.ws, in, program); !fault.Is(err, fault.Denied) {
		t.Errorf("answered through a pipe: %v", err)
	}
	if _, err := trust.Confirm(p.e, p.ws, program, &said); !fault.Is(err, fault.Denied) || said.Len() > 0 {
		t.Errorf("asked through a pipe: %v, %s", err, said.String())
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if _, err := trust.Confirm(p.e, p.ws, null, null); !fault.Is(err, fault.Denied) {
		t.Errorf("asked nowhere: %v", err)
	}
	if list, err := trust.List(p.ws); err != nil || len(list) > 0 {
		t.Errorf("confirmed: %+v, %v", list, err)
	}
}

// unquoted shows the paths below the place as they are: a person sees them quoted where the temporary directory's own
// has spaces, or letters that are not of ASCII.
func (p place) unquoted(shown string) string {
	top := filepath.Dir(p.ws.Root)
	quoted := regexp.QuoteMeta(strings.Trim(strconv.QuoteToASCII(top), `"`))
	return regexp.MustCompile(`"`+quoted+`([^"\\]*)"`).ReplaceAllString(shown, strings.ReplaceAll(top, "$", "$$")+"$1")
}

// A person is shown everything that counts, and nothing that a workspace writes drives the terminal or looks like
// something else.
func TestWhatAPersonIsShown(t *testing.T) {
	p := newPlace(t)
	p.repository(t,
		`{kind: command, command: [writer, tools/sum.py, "two words", "\e[2K\r  runs  /usr/bin/true", "\u202egpj.exe"], template: "x {{$history}}"}`+"\n")
	shown, err := p.confirm(t, "yes\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"ctxledger.yaml:1 asks for", filepath.Join(p.ws.Root, config.File),
		filepath.Join(filepath.Dir(p.ws.Root), "bin", "writer") + "  (command)",
		"SHA-256 d3e2fcc5b7e1d9dd0a1e6cbf2b9b6ea0"[:8], filepath.Join(p.ws.Root, "tools", "sum.py"), `"two words"`,
		`"\x1b[2K\r  runs  /usr/bin/true"`, `"\u202egpj.exe"`,
		"of its own, 14 bytes, SHA-256 ",
	} {
		if !strings.Contains(p.unquoted(shown), want) {
			t.Errorf("%q is missing in:\n%s", want, shown)
		}
	}
	if i := strings.IndexFunc(shown, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }); i >= 0 {
		t.Errorf("%q is shown as it is", shown[i:min(len(shown), i+20)])
	}
	p.repository(t, server)
	shown, _ = p.confirm(t, "no\n")
	for _, want := range []string{
		"connects to a.example:443  (https://a.example/v1)", "the value of the environment variable GITHUB_TOKEN",
		"model       m",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing in:\n%s", want, shown)
		}
	}
	p.repository(t, "{kind: anthropic, model: m}\n")
	shown, _ = p.confirm(t, "no\n")
	if !strings.Contains(shown, "api.anthropic.com:443") || !strings.Contains(shown, "ANTHROPIC_API_KEY") {
		t.Errorf("the vendor's defaults are missing in:\n%s", shown)
	}
}

func TestWhereProgramsAreFound(t *testing.T) {
	for _, c := range []struct {
		name, workspace, own string
		path                 string // relative to the top
		code                 fault.Code
	}{
		{"the user's, in PATH", "", "{kind: command, command: [writer]}\n", "bin/writer", ""},
		{"the user's, beside the configuration", "", "{kind: command, command: [./beside]}\n",
			"home/.config/ctxledger/beside", ""},
		{"the user's, which the workspace brings along in PATH", "", "{kind: command, command: [mine]}\n", "",
			fault.Denied},
		{"the user's, in the workspace by its path", "", "{kind: command, command: ['%/root/writer']}\n",
			"root/writer", ""},
		{"a workspace's is confirmed where it is", "{kind: command, command: [mine]}\n", "", "root/bin/mine", ""},
		{"a workspace's by a relative name", "{kind: command, command: [bin/mine]}\n", "", "root/bin/mine", ""},
		{"no program", "", "{kind: command, command: [plain]}\n", "", fault.NotFound},
		{"nothing", "", "{kind: command, command: [nothing-of-that-name]}\n", "", fault.NotFound},
		{"a workspace's that is not there", "{kind: command, command: [./gone]}\n", "", "", fault.NotFound},
		{"a workspace's directory", "{kind: command, command: [./tools]}\n", "", "", fault.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("programs have other names")
			}
			p := newPlace(t)
			top := filepath.Dir(p.ws.Root)
			if c.workspace != "" {
				p.repository(t, c.workspace)
			}
			if c.own != "" {
				p.own(t, strings.ReplaceAll(c.own, "%", top))
			}
			a, err := trust.Check(p.e, p.ws)
			if c.workspace != "" && c.code == "" {
				if _, err := p.confirm(t, "yes\n"); err != nil {
					t.Fatal(err)
				}
				a, err = trust.Check(p.e, p.ws)
			}
			if fault.CodeOf(err) != c.code {
				t.Fatal(err)
			}
			if err == nil && a.Ask().Programs[0].Path != filepath.Join(top, filepath.FromSlash(c.path)) {
				t.Errorf("found %s", a.Ask().Programs[0].Path)
			}
		})
	}
}

// A program of a workspace gets what it needs to run; one of the user's own everything. Both run next to the file that
// names them.
func TestWhatProgramsGet(t *testing.T) {
	p := newPlace(t)
	p.repository(t, "{kind: command, command: [writer]}\n")
	if _, err := p.confirm(t, "yes\n"); err != nil {
		t.Fatal(err)
	}
	a, err := trust.Check(p.e, p.ws)
	if err != nil {
		t.Fatal(err)
	}
	x, err := a.Program("command")
	if err != nil || x.Dir != p.ws.Root || x.Env == nil || !slices.Contains(x.Env, "HOME="+p.e.Home) ||
		slices.ContainsFunc(x.Env,
			func(v string) bool { return strings.HasPrefix(v, "SECRET") || strings.HasPrefix(v, "GITHUB") }) {
		t.Errorf("%+v, %v", x, err)
	}
	p.own(t, "{kind: command, command: [writer]}\n")
	if a, err = trust.Check(p.e, p.ws); err != nil || !a.Own() {
		t.Fatal(err)
	}
	if x, err = a.Program("command"); err != nil || x.Dir != filepath.Dir(config.UserFile(p.e)) || x.Env != nil {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := a.Program("key_command"); !fault.Is(err, fault.Denied) {
		t.Error(err)
	}
	if _, err := (trust.Approved{}).Program("command"); !fault.Is(err, fault.Denied) {
		t.Error(err)
	}
}

// What is kept is private; what others could have written, or was moved to another tree's name, does not count.
func TestConsentsThatDoNotCount(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, path string)
	}{
		{"others can write it", func(t *testing.T, path string) { chmod(t, path, 0o622) }},
		{"others can write its directory", func(t *testing.T, path string) { chmod(t, filepath.Dir(path), 0o777) }},
		{"no JSON", func(t *testing.T, path string) { put(t, path, "yes") }},
		{"another version",
			func(t *testing.T, path string) { edit(t, path, func(c *trust.Consent) { c.Version = 2 }) }},
		{"another tree",
			func(t *testing.T, path string) { edit(t, path, func(c *trust.Consent) { c.Ask.Root += "x" }) }},
		{"another host", func(t *testing.T, path string) {
			edit(t, path, func(c *trust.Consent) { c.Ask.Summarizer.URL = "https://b.example" })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("no modes on this system")
			}
			p := newPlace(t)
			p.repository(t, server)
			if _, err := p.confirm(t, "yes\n"); err != nil {
				t.Fatal(err)
			}
			found, err := filepath.Glob(filepath.Join(p.ws.UserState, "trust", "*"))
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			if info, err := os.Stat(found[0]); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			c.spoil(t, found[0])
			if _, err := trust.Check(p.e, p.ws); !fault.Is(err, fault.Denied) {
				t.Error(err)
			}
		})
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func edit(t *testing.T, path string, change func(*trust.Consent)) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := trust.Consent{Given: time.Time{}}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	change(&c)
	if raw, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	put(t, path, string(raw))
}
