package ctxlsp

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/lab/installed"
	"ctxledger.dev/lab/programtest"
)

// editors is the environment variable that says where `make editors` has put real editors.
const editors = "CTXLEDGER_EDITORS"

// realEditors returns the directory of the real editors, or leaves the test out.
func realEditors(t *testing.T) string {
	t.Helper()
	return installed.Directory(t, editors, "editors")
}

// script returns the path of a file of testdata.
func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	must(t, err)
	return path
}

// guideFile is the file that real editors open.
const guideFile = "guide.md"

// putGuide writes the file, with an example of everything that is shown.
func (p place) putGuide(t *testing.T) (text string) {
	t.Helper()
	text = guide + strings.Repeat("z", 2500) + "\n"
	p.put(t, guideFile, text)
	return text
}

// environment are the variables of a real editor in the place.
func (p place) environment(more ...string) []string {
	return append(p.Variables("LANG=C.UTF-8", "CTXLSP="+binary, "CTX_FILE="+filepath.Join(p.Root, guideFile)), more...)
}

// TestRealEditorsShowWhatThereIs runs real editors, without a screen: each opens a file, looks at everything, edits the
// file, saves it and says what it then has.
func TestRealEditorsShowWhatThereIs(t *testing.T) {
	dir := realEditors(t)
	for _, c := range []struct {
		name    string
		program string
		args    []string
	}{
		{"Neovim", "nvim", []string{"--headless", "-u", "NONE", "-n", "-i", "NONE", "-c",
			"luafile " + script(t, "neovim.lua")}},
		{"Emacs", "emacs", []string{"--batch", "-Q", "-l", script(t, "emacs.el")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.putGuide(t)
			cmd := exec.CommandContext(within(t), filepath.Join(dir, c.program), c.args...)
			cmd.Dir, cmd.Env = p.Root, p.environment()
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s\n%s", err, &out, &errs)
			}
			var got struct{ Version, Encoding, Diagnostic, Hint, Hover, Symbol, Lens string }
			must(t, json.Unmarshal(bytes.TrimSpace(out.Bytes()), &got))
			saved, err := os.ReadFile(filepath.Join(p.Root, guideFile))
			must(t, err)
			want := strings.TrimPrefix(count(string(saved)), "≈") + " in file " // the rest, as Emacs prints it, is no UTF-8
			if got.Encoding != "utf-16" || !strings.Contains(got.Diagnostic, "long-lines") || got.Symbol != "Guide" ||
				!strings.Contains(got.Lens, want) ||
				!strings.HasSuffix(got.Hint, " tokens") || !strings.Contains(got.Hover, "counted on its own") {
				t.Errorf("it shows %+v; %s are saved", got, want)
			}
			t.Logf("%s shows %q", got.Version, got.Lens)
		})
	}
}

// helix are the settings of Helix: which server there is, and that what it says is shown.
var helix = map[string]string{
	"config.toml": `[editor]
end-of-line-diagnostics = "hint"
[editor.lsp]
display-inlay-hints = true
`,
	"languages.toml": `[language-server.ctxlsp]
command = "%s"
args = ["--stdio"]
config = { hover = "always", hints = 1, symbols = true, diagnostics = ["long-lines"], live = false }
[[language]]
name = "markdown"
language-servers = ["ctxlsp"]
`,
}

// paste marks text that is pasted in one piece. Of single keys that follow each other fast, Helix 25.01 sends the
// changes in any order.
const paste = "paste"

// outline is the head of the list of symbols. Asked for twice, it may open again after it was closed, over what is typed.
const outline = "  kind   name "

// TestTheRealHelixShowsWhatThereIs types into the editor as a person does, and reads its screen.
func TestTheRealHelixShowsWhatThereIs(t *testing.T) {
	dir := realEditors(t)
	p := newPlace(t)
	p.putGuide(t)
	s := newHelix(t, dir, p, guideFile)
	s.run(t, "set-buffer", "# 😀 New")
	s.walk(t, []step{
		// a hint, and the sign of a diagnostic
		{nil, []string{count("## Install\nRun `make`, then 😀 wait."), "●"}, false},
		// the diagnostics
		{[]string{"Escape", "Space", "d"}, []string{"long-lines", "This line has 2,500 c"}, true},
		// a hover
		{[]string{"Escape", "Space", "k"}, []string{"counted on its own"}, true},
		// the outline
		{[]string{"Escape", "Space", "s"}, []string{"Guide", "Install", "Use"}, true},
		// another line
		{[]string{"Escape", "g", "g", "O"}, []string{"INS"}, false},
		// with a text
		{[]string{paste}, []string{"# 😀 New " + count("# 😀 New\n")}, false},
		// that is kept
		{[]string{"Escape", ":w", "Enter"}, []string{"written", "# 😀 New " + count("# 😀 New\n")}, false},
	})
	s.run(t, "send-keys", ":q", "Enter")
	saved, err := os.ReadFile(filepath.Join(p.Root, guideFile))
	must(t, err)
	if !strings.HasPrefix(string(saved), "# 😀 New\n# Guide\n") {
		t.Errorf("%.40q is saved", saved)
	}
	log, err := os.ReadFile(filepath.Join(p.Home, ".cache", "helix", "helix.log"))
	must(t, err)
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, "ctxlsp err <-") { // our standard error
			t.Error(line)
		}
	}
}

// newHelix opens a file in Helix.
func newHelix(t *testing.T, dir string, p place, file string) *screen {
	t.Helper()
	for name, text := range helix {
		file := filepath.Join(p.Home, ".config", "helix", name)
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(strings.ReplaceAll(text, "%s", binary)), 0o644))
	}
	s := newScreen(t, dir, p)
	s.run(t, "new-session", "-d", "-x", "120", "-y", "40", "timeout", "--foreground", "600",
		filepath.Join(dir, "hx"), file)
	return s
}

// step is what a person types, and then sees.
type step struct {
	keys, shows []string
	again       bool // the keys can be typed again: a view may be opened before there is something in it
}

// walk takes steps.
func (s *screen) walk(t *testing.T, steps []step) {
	t.Helper()
	for _, step := range steps {
		s.press(t, step.keys)
		for tries := 0; !s.shows(t, step.shows); tries++ {
			screen := s.run(t, "capture-pane", "-p")
			again := step.again || strings.Contains(screen, outline)
			if tries > 0 && !again || tries > 5 {
				t.Fatalf("%q is not on the screen:\n%s", step.shows, screen)
			}
			if again {
				s.press(t, step.keys)
			}
		}
	}
}

// screen is a terminal without a display.
type screen struct {
	program, socket string
	place           place
	variables       []string // of the environment, besides those of the place
}

// newScreen returns one; its programs end with the test.
func newScreen(t *testing.T, dir string, p place) *screen {
	t.Helper()
	short, err := os.MkdirTemp("", "tmux") // the names of sockets are short
	must(t, err)
	s := &screen{program: filepath.Join(dir, "tmux"), socket: filepath.Join(short, "s"), place: p}
	t.Cleanup(func() {
		s.kill(t)
		must(t, os.RemoveAll(short))
	})
	return s
}

// kill ends the screen and what runs on it, and waits until that is gone: an editor that ends later still writes into
// its home directory, which is being removed.
func (s *screen) kill(t *testing.T) {
	t.Helper()
	pids, err := s.tmux("list-panes", "-a", "-F", "#{pane_pid}").Output()
	if err != nil {
		return // it has ended by itself, as it does when its program ends
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for _, pid := range strings.Fields(string(pids)) {
		_ = exec.Command("kill", "-KILL", "--", "-"+pid).Run() // its process group may have ended
		for began := time.Now(); exec.Command("kill", "-0", "--", "-"+pid).Run() == nil; <-tick.C {
			if time.Since(began) > programtest.Patience {
				t.Errorf("the program of the screen, process group %s, does not end", pid)
				return
			}
		}
	}
	_, _ = s.tmux("kill-server").CombinedOutput() // it may have ended with its last program
}

func (s *screen) tmux(args ...string) *exec.Cmd {
	cmd := exec.Command(s.program, append([]string{"-S", s.socket, "-f", os.DevNull}, args...)...)
	cmd.Dir, cmd.Env = s.place.Root, s.place.environment(append(s.variables, "TERM=xterm-256color")...)
	return cmd
}

// run has tmux do something, and returns what it says.
func (s *screen) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := s.tmux(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// press types keys. A program that reads Escape and the next key at once takes them for one key with Alt, as a busy machine
// makes it do: two Escapes are one Escape to it, and the key after them is itself.
func (s *screen) press(t *testing.T, keys []string) {
	t.Helper()
	for _, k := range keys {
		switch k {
		case paste:
			s.run(t, "paste-buffer", "-p")
		case "Escape":
			s.run(t, "send-keys", k, k)
		default:
			s.run(t, "send-keys", k)
		}
	}
}

// shows waits a while until the screen shows all of these, and reports whether it does.
func (s *screen) shows(t *testing.T, texts []string) bool {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < programtest.Patience/3; <-tick.C {
		shown := s.run(t, "capture-pane", "-p")
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(shown, text) }) {
			return true
		}
	}
	return false
}

// TestTheRealClientOfVSCodeUnderstandsEveryAnswer talks to the server with the library of VS Code's clients.
func TestTheRealClientOfVSCodeUnderstandsEveryAnswer(t *testing.T) {
	dir := realEditors(t)
	p := newPlace(t)
	text := guide + strings.Repeat("z", 2500) + "\n"
	p.put(t, "a (1).md", text)
	out := p.node(t, dir, "client.cjs", binary, "a (1).md")
	var got struct {
		Lens, Hover, Symbol, Hint, Diagnostic string
		Folds, Files, Status                  int
		Progress                              []string
	}
	must(t, json.Unmarshal(out, &got))
	want := unread("# 😀 New\n" + text)
	if got.Lens != want || !strings.Contains(got.Hover, "counted on its own") || got.Symbol != "😀 New" ||
		!strings.HasSuffix(got.Hint, " tokens") ||
		got.Diagnostic != "long-lines" || got.Folds == 0 || got.Files != 1 || got.Status != 0 || len(got.Progress) < 2 {
		t.Errorf("the client has %+v, not %s", got, want)
	}
}

// within returns what ends when a test was patient enough.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), programtest.Patience)
	t.Cleanup(cancel)
	return ctx
}

// node runs a script of testdata that has the library of VS Code's clients, and returns what it prints.
func (p place) node(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(within(t), "node", append([]string{script(t, name)}, args...)...)
	cmd.Dir, cmd.Env = p.Root, p.environment("NODE_PATH="+filepath.Join(dir, "node_modules"))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s\n%s", name, err, out, &errs)
	}
	return out
}

// TestTheRealClientOfVSCodeTakesRegistrations changes settings while that client is there.
func TestTheRealClientOfVSCodeTakesRegistrations(t *testing.T) {
	dir := realEditors(t)
	var got struct {
		Offered, Seen []string
		Lens          string
		Status        int
	}
	must(t, json.Unmarshal(newPlace(t).node(t, dir, "registration.cjs", binary), &got))
	all := "codeAction codeLens diagnostic documentSymbol foldingRange hover inlayHint"
	want := []string{all, "codeAction codeLens documentSymbol foldingRange hover", "", all}
	if len(got.Offered) != 0 || !slices.Equal(got.Seen, want) || got.Lens != unread("# A\nsome words\n") ||
		got.Status != 0 {
		t.Errorf("the client has %+v, not %q", got, want)
	}
}
