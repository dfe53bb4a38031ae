package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
)

// TestNothingOutsideOfTheDirectoryIsRead names documents inside, and outside in each way that there is.
func TestNothingOutsideOfTheDirectoryIsRead(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "root")
	for name, text := range map[string]string{"root/a.md": "# A\n", "root/sub/b.md": "# B\n", "out.md": "# Out\n"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755),
			os.WriteFile(filepath.Join(top, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(top, "out.md"), filepath.Join(root, "link.md")); err != nil {
		t.Fatal(err)
	}
	r, err := Open(root, graph.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() // only read
	for _, c := range []struct {
		from, path, want string
		err              error
	}{
		{"", "a.md", "a.md", nil},
		{"a.md", "sub/b.md", "sub/b.md", nil},
		{"sub/b.md", "../a.md", "a.md", nil},
		{"sub/b.md", "../a.md/plan/*", "a.md", nil},
		{"a.md", "../out.md", "", graph.ErrOutside},
		{"sub/b.md", "../../out.md", "", graph.ErrOutside},
		{"a.md", filepath.Join(top, "out.md"), "", graph.ErrOutside},
		{"a.md", "link.md", "", graph.ErrOutside},
		{"a.md", "none.md", "", fault.New(fault.NotFound, "", "")},
		{"a.md", "sub", "", fault.New(fault.NotFound, "", "")},
	} {
		d, err := r.Read(c.from, c.path)
		switch {
		case c.want != "":
			if err != nil || d.Path != c.want {
				t.Errorf("%s in %s is %v, %v", c.path, c.from, d, err)
			}
		case errors.Is(c.err, graph.ErrOutside) != errors.Is(err, graph.ErrOutside), err == nil:
			t.Errorf("%s in %s: %v, want %v", c.path, c.from, err, c.err)
		}
	}
}

// write writes a file below a directory.
func write(t *testing.T, root, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755),
		os.WriteFile(filepath.Join(root, name), []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestFractalicsSettings: models by alias or by name, and whether operations are visible, come from the settings.toml in the
// document's folder, or else from the workspace's.
func TestFractalicsSettings(t *testing.T) {
	root := t.TempDir()
	const document = "# A {id=a}\n\n@shell\nprompt: ls\n\n@llm\nprompt: x\n"
	write(t, root, "settings.toml", "defaultProvider = \"x\"\n[settings.fast]\nmodel = \"gpt-4o\"\n"+
		"[settings.own]\nmodel = \"our.model_1\"\ncontextSize = 9000\n[runtime]\nenableOperationsVisibility = true\n")
	write(t, root, "sub/settings.toml", "[settings.sub]\n")
	write(t, root, "broken/settings.toml", "[settings\n")
	for _, name := range []string{"a.md", "deep/a.md", "sub/a.md", "broken/a.md"} {
		write(t, root, name, document)
	}
	for _, c := range []struct {
		name     string
		window   map[string]int  // by model
		known    map[string]bool // by model
		messages int             // with "@shell" in them
	}{
		{"a.md", map[string]int{"fast": 128_000, "own": 9000, "our-model-1": 9000, "": 128_000, "sub": 0},
			map[string]bool{"fast": true, "Fast": false, "our.model_1": true, "claude-sonnet-4-5": true,
				"sub": false}, 1},
		{"deep/a.md", map[string]int{"own": 9000}, map[string]bool{"own": true, "sub": false}, 1},
		{"sub/a.md", map[string]int{"own": 0}, map[string]bool{"own": false, "sub": true}, 0},
		{"broken/a.md", map[string]int{"own": 9000}, map[string]bool{"own": true}, 1},
	} {
		r, err := Open(root, graph.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := r.Read("", c.name)
		if err != nil {
			t.Fatal(err)
		}
		o := r.Options(d, tokens.Builtin(), "gpt-4o", tokens.Builtin().For)
		for model, want := range c.window {
			if got := o.Window(model); got != want {
				t.Errorf("%s: the window of %q is %d, want %d", c.name, model, got, want)
			}
		}
		for model, want := range c.known {
			if got := o.Known(model); got != want {
				t.Errorf("%s: %q is known: %v", c.name, model, got)
			}
		}
		shown := 0
		for _, m := range d.Request(d.Operations[1]) {
			shown += strings.Count(m.Text, "@shell")
		}
		if shown != c.messages {
			t.Errorf("%s: operations are in %d messages, want %d", c.name, shown, c.messages)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	alone := t.TempDir()
	write(t, alone, "a.md", document)
	r, err := Open(alone, graph.Settings{Compat: graph.Fractalic})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() // only read
	d, err := r.Read("", "a.md")
	if err != nil || r.Options(d, tokens.Builtin(), "", nil).Known != nil {
		t.Error(err, "without settings.toml any name may be a model's")
	}
}
