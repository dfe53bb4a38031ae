package carried

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/codex"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

var update = flag.Bool("update", false, "write what is found into the cases")

// TestCases looks for what requests carry in the trees of testdata/cases. A case is a text of files, each behind a line
// "-- NAME --": those below home/ are in the user's home, those below work/ in the workspace, and "want" is what is
// found. A newcomer adds a file and runs `go test ./carried -update`.
func TestCases(t *testing.T) {
	paths, err := filepath.Glob("testdata/cases/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files, about := split(string(raw))
			want, is := about["want"]
			if !is {
				return // of TestRequests
			}
			at := made(t, files)
			names := strings.NewReplacer(at.root, "ROOT", slug(at.root), "SLUG", filepath.Dir(at.root), "TOP")
			got := names.Replace(listing(Find(t.Context(), at.options())))
			if got == want {
				return
			}
			if !*update {
				t.Fatalf("found\n%s\nwant\n%s", got, want)
			}
			text, _, _ := strings.Cut(string(raw), "-- want --\n")
			if err := os.WriteFile(path, []byte(text+"-- want --\n"+got), 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestASessionLoadsTheFilesOfItsFolder: what lies between the workspace and the folder that a session runs in is loaded when
// it begins, and was said to be loaded later.
func TestASessionLoadsTheFilesOfItsFolder(t *testing.T) {
	for agent, name := range map[string]string{"claude-code": "CLAUDE.md", "codex": "AGENTS.md",
		"gemini": "GEMINI.md"} {
		files := map[string]string{}
		for _, dir := range []string{"", "a/", "a/b/", "other/"} {
			files["work/"+dir+name] = "Be brief in " + dir + ".\n"
		}
		at := made(t, files)
		o := at.options()
		ran := filepath.Join(at.root, "a", "b")
		o.Ran = RanIn(sessions.Session{Host: agent, Dir: ran})
		r := Find(t.Context(), o)
		for _, h := range r.Hosts {
			h.Each(func(p *Part) {
				if later := p.Name == "other/"+name; h.Name == agent && p.Kind == Memory && (p.When != "") != later {
					t.Errorf("%s: %s is loaded when %q", agent, p.Name, p.When)
				}
			})
		}
		if !r.here(sessions.Session{Host: agent, Dir: ran}) || r.here(sessions.Session{Host: agent, Dir: at.root}) {
			t.Errorf("%s: the report is not that of the session's folder", agent)
		}
	}
}

// split returns the files of a case, and what is said about them.
func split(text string) (files, about map[string]string) {
	files, about = map[string]string{}, map[string]string{}
	var of map[string]string
	name := ""
	for line := range strings.Lines(text) {
		if n, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(n, " --\n") {
			name = strings.TrimSuffix(n, " --\n")
			if of = about; name != "want" && !strings.HasPrefix(name, "request ") {
				of = files
			}
			of[name] = ""
		} else if name != "" {
			of[name] += line
		}
	}
	return files, about
}

// place is a home and a workspace.
type place struct{ root, home string }

// made writes the files of a case. A file "link NAME" is a symbolic link to what it holds.
func made(t testing.TB, files map[string]string) place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{filepath.Join(dir, "work"), filepath.Join(dir, "home")}
	for _, d := range []string{p.root, p.home} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		name, link := strings.CutPrefix(name, "link ")
		name = strings.ReplaceAll(name, "SLUG", slug(p.root))
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		content = strings.NewReplacer("ROOT", p.root, "HOME", p.home).Replace(content)
		if link {
			err = os.Symlink(strings.TrimSpace(content), at)
		} else {
			err = os.WriteFile(at, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// agents are the agents that are known, by name.
func agents() map[string]Loading {
	all := map[string]Loading{}
	for title, l := range map[string]Loading{
		"Claude Code": ClaudeCode(claudecode.ConfigDir, claudecode.MemoryDir, claudecode.ToolSearch),
		"Codex":       Codex(codex.ConfigDir), "Copilot": Copilot(), "Cursor": Cursor(), "Gemini CLI": Gemini(),
		"opencode": OpenCode()} {
		l.Name, l.Title = agentname.Key(title), title
		all[l.Name] = l
	}
	return all
}

// options are those of a place.
func (p place) options() Options {
	e := env.System()
	e.Home, e.Lookup = p.home, func(string) string { return "" }
	return Options{Agents: slices.Collect(maps.Values(agents())), Root: p.root, Env: e,
		Meter: For(ledger.Meter{Counter: tokens.Builtin().For("")})}
}

// slug is how Claude Code names the directory of a workspace.
func slug(root string) string {
	name := utf16.Encode([]rune(root))
	for i, u := range name {
		if u > 'z' || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", rune(u)) {
			name[i] = '-'
		}
	}
	return string(utf16.Decode(name))
}

// listing shows what was found, without counts, which have tests of their own.
func listing(r Report) string {
	var b strings.Builder
	var show func(indent string, p Part)
	show = func(indent string, p Part) {
		fmt.Fprintf(&b, "%s%s %s (%s)", indent, p.Kind, p.Name, p.Scope)
		switch {
		case p.Unknown:
			b.WriteString(": unknown")
		case p.Carried.N > 0 && p.Later.N > 0:
			b.WriteString(": listed, more when " + p.When)
		case p.Carried.N > 0:
			b.WriteString(": always")
		case p.When != "":
			b.WriteString(": when " + p.When)
		}
		b.WriteByte('\n')
		for _, x := range p.Problems {
			fmt.Fprintf(&b, "%s  ! %s: %s\n", indent, x.Code, x.Message)
		}
		for _, i := range p.Imports {
			show(indent+"  ", i)
		}
	}
	for _, h := range r.Hosts {
		fmt.Fprintf(&b, "%s\n", h.Title)
		for _, p := range h.Parts {
			show("  ", p)
		}
	}
	return b.String()
}
