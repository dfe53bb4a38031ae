package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

func TestAWindowIsWrittenAndTheRestStays(t *testing.T) {
	const opus = "claude-opus-4-6"
	for _, c := range []struct{ name, before, model, after string }{
		{"no file", "-", opus, "models:\n  claude-opus-4-6: {window: 200000}\n"},
		{"nothing but comments", "# mine\n", opus, "# mine\nmodels:\n  claude-opus-4-6: {window: 200000}\n"},
		{"other settings, and no end of line", "# mine\nfollow: true # yes", opus,
			"# mine\nfollow: true # yes\nmodels:\n  claude-opus-4-6: {window: 200000}\n"},
		{"lines of Windows", "follow: true\r\n", opus,
			"follow: true\r\nmodels:\r\n  claude-opus-4-6: {window: 200000}\r\n"},
		{"no models yet", "models: # of mine\nfollow: true\n", opus,
			"models: # of mine\n  claude-opus-4-6: {window: 200000}\nfollow: true\n"},
		{"no models in braces", "models: {}\n", opus, "models: {claude-opus-4-6: {window: 200000}}\n"},
		{"other models", "models:\n    # the small one\n    gpt-5: {window: 300000} # sic\n", opus,
			"models:\n    claude-opus-4-6: {window: 200000}\n    # the small one\n    gpt-5: {window: 300000} # sic\n"},
		{"other models in braces", "models: {gpt-5: {window: 300000}}\n", opus,
			"models: {claude-opus-4-6: {window: 200000}, gpt-5: {window: 300000}}\n"},
		{"another window", "models:\n  claude-opus-4-6: {output: 32000, window: 1000000} # large\n", opus,
			"models:\n  claude-opus-4-6: {output: 32000, window: 200000} # large\n"},
		{"another window in a block",
			"Models:\n  claude-opus-4-6:\n    Window: 1000000 # large\n    output: 32000\n", opus,
			"Models:\n  claude-opus-4-6:\n    Window: 200000 # large\n    output: 32000\n"},
		{"an entry without one", "models:\n  claude-opus-4-6: {output: 32000}\n", opus,
			"models:\n  claude-opus-4-6: {window: 200000, output: 32000}\n"},
		{"a block without one", "models:\n  claude-opus-4-6:\n    output: 32000\n", opus,
			"models:\n  claude-opus-4-6:\n    window: 200000\n    output: 32000\n"},
		{"an empty entry", "models:\n  claude-opus-4-6:\n  gpt-5: {window: 300000}\n", opus,
			"models:\n  claude-opus-4-6:\n    window: 200000\n  gpt-5: {window: 300000}\n"},
		{"an entry spelled otherwise", "models:\n  anthropic/claude-opus-4.6: {window: 1000000}\n", opus,
			"models:\n  anthropic/claude-opus-4.6: {window: 200000}\n"},
		{"a window in other digits", "models:\n  claude-opus-4-6: {window: 0xF4240}\n", opus,
			"models:\n  claude-opus-4-6: {window: 200000}\n"},
		{"a router's name", "-", "anthropic/claude-opus-4.6",
			"models:\n  \"anthropic/claude-opus-4.6\": {window: 200000}\n"},
		{"the name of a large window", "-", "claude-opus-4-6[1m]",
			"models:\n  \"claude-opus-4-6[1m]\": {window: 200000}\n"},
		{"a name that YAML takes for something else", "-", "true", "models:\n  \"true\": {window: 200000}\n"},
		{"words before the window of others", "models:\n  größe-1: {window: 1} # Maß\n", opus,
			"models:\n  claude-opus-4-6: {window: 200000}\n  größe-1: {window: 1} # Maß\n"},
		{"the same window", "models:\n  claude-opus-4-6: {window: 200000}\n", opus,
			"models:\n  claude-opus-4-6: {window: 200000}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.configure(t, "-", c.before)
			file, err := SetWindow(p.e, p.root, c.model, 200_000)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != c.after {
				t.Errorf("%s, %v, want %s", got, err, c.after)
			}
			set, problems := p.load()
			if n, _ := set.Models.Window(c.model); n != 200_000 || !set.Models.OwnWindow(c.model) || len(problems) > 0 {
				t.Errorf("the window is %d, %v", n, problems)
			}
		})
	}
}

func TestAWindowIsTakenOutAndTheRestStays(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"what was written here", "models:\n  claude-opus-4-6: {window: 200000}\n", ""},
		{"with other settings", "# mine\nfollow: true # yes\nmodels:\n  claude-opus-4-6: {window: 200000}\n",
			"# mine\nfollow: true # yes\n"},
		{"lines of Windows, and no end of line", "follow: true\r\nmodels:\r\n  claude-opus-4-6: {window: 200000}",
			"follow: true\r\n"},
		{"comments", "models: # of mine\n  # the large one\n  claude-opus-4-6: {window: 200000} # sic\nfollow: true\n",
			"# of mine\n  # the large one\n  # sic\nfollow: true\n"},
		{"other models",
			"models:\n    claude-opus-4-6: {window: 200000}\n    # small\n    gpt-5: {window: 300000} # sic\n",
			"models:\n    # small\n    gpt-5: {window: 300000} # sic\n"},
		{"other models in braces", "models: {claude-opus-4-6: {window: 200000}, gpt-5: {window: 300000}}\n",
			"models: {gpt-5: {window: 300000}}\n"},
		{"the last of models in braces", "models: {gpt-5: {window: 300000}, claude-opus-4-6: {window: 200000}} # two\n",
			"models: {gpt-5: {window: 300000}} # two\n"},
		{"the only one of models in braces", "models: {claude-opus-4-6: {window: 200000}}\n", "models: {}\n"},
		{"more in braces in braces", "models: {claude-opus-4-6: {window: 200000, output: 32000}}\n",
			"models: {claude-opus-4-6: {output: 32000}}\n"},
		{"more of the model", "models:\n  claude-opus-4-6: {output: 32000, window: 1000000} # large\n",
			"models:\n  claude-opus-4-6: {output: 32000} # large\n"},
		{"more of the model, after it", "models:\n  claude-opus-4-6: { window: 1000000 , output: 32000 }\n",
			"models:\n  claude-opus-4-6: { output: 32000 }\n"},
		{"a block", "Models:\n  claude-opus-4-6: # mine\n    Window: 1000000 # large\nfollow: true\n",
			"  # mine\n    # large\nfollow: true\n"},
		{"a block with more in it", "Models:\n  claude-opus-4-6:\n    Window: 1000000 # large\n    output: 32000\n",
			"Models:\n  claude-opus-4-6:\n    # large\n    output: 32000\n"},
		{"an entry spelled otherwise",
			"models:\n  \"anthropic/claude-opus-4.6\":\n    window: 1000000\n  größe-1: {window: 2000}\n",
			"models:\n  größe-1: {window: 2000}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.configure(t, "-", c.before)
			if !SetsWindow(p.e, p.root, "claude-opus-4-6") {
				t.Error("it does not set the window")
			}
			file, err := ClearWindow(p.e, p.root, "claude-opus-4-6")
			if err != nil {
				t.Fatal(err, fault.HintOf(err))
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != c.after {
				t.Errorf("%q, %v, want %q", got, err, c.after)
			}
			set, problems := p.load()
			if set.Models.OwnWindow("claude-opus-4-6") || len(problems) > 0 ||
				SetsWindow(p.e, p.root, "claude-opus-4-6") {
				t.Errorf("the window is still set, %v", problems)
			}
			if _, err := ClearWindow(p.e, p.root, "claude-opus-4-6"); !fault.Is(err, fault.NotFound) {
				t.Errorf("again: %v", err)
			}
		})
	}
}

func TestAWindowThatCannotBeTakenOutStays(t *testing.T) {
	for _, c := range []struct {
		name, before string
		code         fault.Code
	}{
		{"none", "follow: true\n", fault.NotFound},
		{"of another model", "models:\n  gpt-5: {window: 200000}\n", fault.NotFound},
		{"a mistake", "follow: perhaps\nmodels:\n  claude-opus-4-6: {window: 200000}\n", fault.Invalid},
		{"a quoted one", "models:\n  claude-opus-4-6: {window: !!int \"300000\"}\n", fault.Invalid},
		{"one over several lines", "models:\n  claude-opus-4-6: {window: 200000\n    }\n", fault.Invalid},
		{"a shared entry", "models:\n  gpt-5: &a {window: 300000}\n  claude-opus-4-6: *a\n", fault.Invalid},
		{"all in braces", "{models: {claude-opus-4-6: {window: 300000}}, follow: true}\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.configure(t, "-", c.before)
			_, err := ClearWindow(p.e, p.root, "claude-opus-4-6")
			got, _ := os.ReadFile(UserFile(p.e))
			if c.code == "" {
				if err != nil || strings.Contains(string(got), "window") {
					t.Errorf("%q, %v", got, err)
				}
			} else if !fault.Is(err, c.code) || string(got) != c.before {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	p := newPlace(t)
	if _, err := ClearWindow(p.e, p.root, "gpt-5"); !fault.Is(err, fault.NotFound) || SetsWindow(p.e, p.root, "gpt-5") {
		t.Errorf("without a file: %v", err)
	}
}

func TestWhatIsNotOursToChangeStays(t *testing.T) {
	for _, c := range []struct {
		name, before string
		window       int
		code         fault.Code
		has          string
	}{
		{"a mistake", "follow: perhaps\n", 200_000, fault.Invalid, "correct it first"},
		{"two documents", "follow: true\n---\nfollow: false\n", 200_000, fault.Invalid, "correct it first"},
		{"keys in braces", "{follow: true}\n", 200_000, fault.Invalid,
			"write `models: {claude-opus-4-6: {window: 200000}}`"},
		{"the end of a document", "follow: true\n...\n", 200_000, fault.Invalid, "write `models"},
		{"shared entries", "models:\n  gpt-5: &a {window: 300000}\n  claude-opus-4-6: *a\n", 200_000, fault.Invalid,
			"write `models"},
		{"null", "models: null\n", 200_000, fault.Invalid, "write `models"},
		{"a quoted window", "models:\n  claude-opus-4-6: {window: !!int \"300000\"}\n", 200_000, fault.Invalid,
			"write `models"},
		{"no tokens", "follow: true\n", 0, fault.Invalid, ""},
		{"more tokens than there are", "follow: true\n", 1 << 40, fault.Invalid, ""},
		{"thousands", "follow: true\n", 200, fault.Invalid, "at least 1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.configure(t, "-", c.before)
			_, err := SetWindow(p.e, p.root, "claude-opus-4-6", c.window)
			if !fault.Is(err, c.code) || !strings.Contains(err.Error()+fault.HintOf(err), c.has) {
				t.Errorf("%v (%s)", err, fault.HintOf(err))
			}
			if got, err := os.ReadFile(UserFile(p.e)); err != nil || string(got) != c.before {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	p := newPlace(t)
	for _, name := range []string{"", "a\nfollow: false", strings.Repeat("a", 1000)} {
		if _, err := SetWindow(p.e, p.root, name, 200_000); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}

// A file that others can write, or that lies in the workspace, is not the user's; a link to it stays a link.
func TestAWindowIsWrittenIntoTheUsersOwnFileAlone(t *testing.T) {
	p := newPlace(t)
	p.configure(t, "-", "follow: true\n")
	if _, err := SetWindow(p.e, filepath.Dir(UserFile(p.e)), "gpt-5", 200_000); !fault.Is(err, fault.Denied) {
		t.Errorf("in the workspace: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(UserFile(p.e), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := SetWindow(p.e, p.root, "gpt-5", 200_000); !fault.Is(err, fault.Denied) {
		t.Errorf("of others: %v", err)
	}
	kept := filepath.Join(private(t), "mine.yaml")
	write(t, kept, []byte("follow: true\n"))
	if err := os.Remove(UserFile(p.e)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, UserFile(p.e)); err != nil {
		t.Fatal(err)
	}
	if _, err := SetWindow(p.e, p.root, "gpt-5", 200_000); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(UserFile(p.e))
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if set, problems := p.load(); len(problems) > 0 || !set.Models.OwnWindow("gpt-5") {
		t.Error(problems)
	}
}

func FuzzOnlyTheWindowChanges(f *testing.F) {
	f.Add("models:\n  a-1: {window: 5}\n", "a-1")
	f.Add("models: {a-1: {output: 5}}\nfollow: true\n", "b")
	f.Add("models:\n  b: # c\n    window: 5000 # d\n  a-1: {output: 5}\n", "b")
	f.Fuzz(func(t *testing.T, text, model string) {
		before := document{data: []byte(text), user: true}
		if failed(before.check()) == nil {
			cleared, err := withoutWindow([]byte(text), model)
			d := document{data: cleared, user: true}
			if err == nil && (failed(d.check()) != nil || d.window(model) != 0) {
				t.Errorf("after %q was taken out: %q", model, cleared)
			}
		}
		after, err := withWindow([]byte(text), model, 200_000)
		if err != nil {
			return
		}
		d := document{data: after, user: true}
		if problems := d.check(); failed(problems) != nil {
			t.Fatal(problems)
		}
		if n, _ := d.models().Window(model); n != 200_000 {
			t.Errorf("the window is %d: %q", n, after)
		}
	})
}
