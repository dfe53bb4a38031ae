package ctxlsp

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var screenshots = flag.String("screenshots", "", "leave what each editor shows, with its colours, in this `directory`")

// picture leaves what is on the screen for `make screenshots`, which makes a picture of it.
func (s *screen) picture(t *testing.T, name string) {
	t.Helper()
	if *screenshots == "" {
		return
	}
	must(t, os.MkdirAll(*screenshots, 0o755))
	shown := s.run(t, "capture-pane", "-p", "-e", "-N")
	must(t, os.WriteFile(filepath.Join(*screenshots, strings.ToLower(name)+".ansi"), []byte(shown), 0o644))
}

// fenced finds the code of docs/editor.md with the file of the home directory that its first line names.
var fenced = regexp.MustCompile("(?ms)^```[a-z]+\n(\\S+ ~/(\\S+):?.*?)^```$")

// snippets writes the configurations that docs/editor.md has for an editor into the home directory of the place, as
// somebody does who copies them.
func (p place) snippets(t *testing.T, files ...string) {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "editor.md"))
	must(t, err)
	found := map[string]string{}
	for _, m := range fenced.FindAllStringSubmatch(string(doc), -1) {
		found[strings.TrimSuffix(m[2], ":")] = m[1]
	}
	const program = "/path/to/bin/ctxlsp"
	named := 0
	for _, name := range files {
		named += strings.Count(found[name], program)
		file := filepath.Join(p.Home, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(strings.ReplaceAll(found[name], program, binary)), 0o644))
	}
	if named != 1 {
		t.Fatalf("docs/editor.md names the program %d times for %v", named, files)
	}
}

// TestDocumentedConfigurationsShowEverythingInRealEditors starts each editor with the configuration of docs/editor.md and
// nothing else, opens a file, presses no key and reads the screen.
func TestDocumentedConfigurationsShowEverythingInRealEditors(t *testing.T) {
	dir := realEditors(t)
	section := "## Install\n" + strings.Repeat("Some words of a long section.\n", 40) // long enough for a hint
	text := "@generated, it says.\n\n# Guide\n\n" + section                           // costs more than any of its sections
	const found = "Generated, but not ignored by git: agents"
	for _, c := range []struct {
		name    string
		program []string
		files   []string
		lens    string   // how the costs of the file are shown: %[1]s its first line, %[2]s its costs; "": not at all
		edit    []string // what somebody types who puts "# 😀 New" into a line above, and saves
	}{
		{"Neovim", []string{"sh", script(t, "neovim_screen.sh"), filepath.Join(dir, "nvim")},
			[]string{".config/nvim/init.lua"}, "%[1]s %[2]s", // a busy one takes a paste after keys that follow it
			[]string{"O", "# 😀 New", "Escape", ":w", "Enter"}},
		{"Emacs", []string{filepath.Join(dir, "emacs")},
			[]string{".emacs.d/init.el"}, "\n%[2]s\n", []string{paste, "Enter", "C-x", "C-s"}},
		{"Helix", []string{filepath.Join(dir, "hx")},
			[]string{".config/helix/languages.toml", ".config/helix/config.toml"}, "",
			[]string{"O", paste, "Escape", ":w", "Enter"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.git(t, "init", "-q")
			p.StopDaemons(t)
			p.snippets(t, c.files...)
			p.put(t, guideFile, text)
			s, a := newScreen(t, dir, p), newAgent(t, p)
			s.variables = []string{a.variables()}
			s.run(t, slices.Concat([]string{"new-session", "-d", "-x", "140", "-y", "20",
				"env", "TERM=xterm-256color", "COLORTERM=truecolor", "timeout", "--foreground", "600"},
				c.program, []string{guideFile})...)
			s.run(t, "set-buffer", "# 😀 New")
			hint := "## Install " + count(section)
			shows := func(text string, costs ...string) {
				t.Helper()
				first, _, _ := strings.Cut(text, "\n")
				want := []string{first, hint, found}
				if want = append(want, costs...); costs == nil && c.lens != "" {
					want = append(want, fmt.Sprintf(c.lens, first, unread(text)))
				}
				ok := s.shows(t, want)
				if !ok && c.name == "Helix" { // it requests hints once it is idle, and not again if the server began later
					s.press(t, []string{"Escape"})
					ok = s.shows(t, want)
				}
				if !ok {
					t.Fatalf("%q is not on the screen:\n%s", want, s.run(t, "capture-pane", "-p"))
				}
				t.Logf("%s", s.run(t, "capture-pane", "-p"))
			}
			shows(text)
			s.picture(t, c.name)
			s.press(t, c.edit)
			edited := "# 😀 New\n" + text
			shows(edited)
			if c.lens != "" { // it follows the live session
				a.read(t, guideFile, edited)
				hint = strings.ReplaceAll(hint, "≈", "") // its model is one whose tokens are counted
				shows(edited, "read once, ", " tokens in window · unchanged since")
				s.picture(t, c.name+"-live")
			}
		})
	}
}
