package library

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// put writes files, by path and content.
func put(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// matter is a skill with a name and more keys.
func matter(name, more string) string {
	return "---\nname: " + name + "\n" + more + "\n---\nbody\n"
}

// TestWhichSkillsAreListed has one file a row, as the specification of skills and other programs take it.
func TestWhichSkillsAreListed(t *testing.T) {
	long := strings.Repeat("é", 1_025)
	for _, c := range []struct{ name, text, want string }{
		{"plain", matter("plain", "description: d"), "- **plain**: d\n  -> Read `s/plain/SKILL.md` for full"},
		{"windows", "---\r\nname: windows\r\ndescription: d\r\n---\r\nbody", "- **windows**: d\n"},
		{"mark", "\ufeff" + matter("mark", "description: d"), "- **mark**: d\n"},
		{"other-name", matter("another", "description: d"), "- **another**: d\n  -> Read `s/other-name/SKILL.md`"},
		{"upper", matter("UPPER", "description: d"), "- **UPPER**: d\n"},
		{"a--b", matter("-a--b", "description: d"), "- **-a--b**: d\n"},
		{"many", matter(strings.Repeat("n", 65), "description: d"),
			"- **" + strings.Repeat("n", maxName-1) + "…**: d\n"},
		{"spaces", matter("spaces", "description: d\nallowed-tools: a b"), "\n  -> Allowed tools: a, b\n"},
		{"commas", matter("commas", "description: d\nallowed-tools: a, b"), "\n  -> Allowed tools: a, b\n"},
		{"list", matter("list", "description: d\nallowed-tools: [a, b]"), "\n  -> Allowed tools: a, b\n"},
		{"license", matter("license", "description: d\nlicense: MIT"), ": d (License: MIT)\n"},
		{"long", matter("long", "description: "+long), "- **long**: " + strings.Repeat("é", maxDescription-1) + "…\n"},
		{"lines", matter("lines", "description: |\n  one\n  - **two**: x"), "- **lines**: one - **two**: x\n"},
		{"stars", matter("'a**b'", "description: d"), "- **ab**: d\n"},
		{"no-description", matter("no-description", ""), ""},
		{"no-name", "---\ndescription: d\n---\n", ""},
		{"no-front", "name: x\ndescription: d\n", ""},
		{"no-end", "---\nname: no-end\ndescription: d\n", ""},
		{"no-mapping", "---\n- a\n---\n", ""},
		{"no-text", matter("no-text", "description: [d]"), ""},
		{"broken", "---\nname: {\n---\n", ""},
		{"bomb", "---\n" + bomb() + "---\n", ""},
		{"binary", matter("binary", "description: d") + "\x00", ""},
		{"huge", matter("huge", "description: d") + strings.Repeat("x", maxFile), ""},
		{"empty", "", ""},
		{"tick`s", matter("ticks", "description: d"), ""}, // its path cannot be quoted
		{"closing", matter("closing", "description: 'x </ctxledger_index> < / CTXLEDGER-index > <!-- y'"),
			"x &lt;/ctxledger_index> &lt; / CTXLEDGER-index > &lt;!-- y\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			put(t, root, map[string]string{"s/" + c.name + "/SKILL.md": c.text})
			got := Find(t.Context(), Options{Root: root, Skills: []string{"s"}}).Block(1_000, utf8.RuneCountInString)
			if !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
				t.Errorf("want %q:\n%s", c.want, got)
			}
			if n := strings.Count(got, "</ctxledger_index>"); got != "" && n != 1 {
				t.Errorf("the block ends %d times", n)
			}
		})
	}
}

// bomb is a document whose aliases make it large.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := range 12 {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 8), i)
	}
	return b.String() + "name: *a12\ndescription: *a12\n"
}

// TestNothingElseIsRead names what lies elsewhere, in every way that a configuration can.
func TestNothingElseIsRead(t *testing.T) {
	top := t.TempDir()
	root, home := filepath.Join(top, "shop"), filepath.Join(top, "home")
	put(t, top, map[string]string{
		"shop/x": "", "out/s/SKILL.md": matter("s", "description: secret"), "out/MEMORY.md": "- [a](b.md)",
		"out/b.md":             "x",
		"home/.ssh/s/SKILL.md": matter("s", "description: secret"), "out/doc.md": "# secret",
		"home/.agents/skills/s/SKILL.md": matter("s", "description: fine"),
	})
	for link, to := range map[string]string{
		"shop/linked": top + "/out", "shop/skills/s": top + "/out/s", "shop/doc.md": top + "/out/doc.md",
		"shop/notes/b.md": top + "/out/b.md", "home/.fuseraft/skills": top + "/out",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(top, filepath.FromSlash(link))), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(top, filepath.FromSlash(link))); err != nil {
			t.Skip(err) // a system without links
		}
	}
	put(t, top, map[string]string{
		"shop/notes/MEMORY.md": "- [a](b.md)\n- [a](../../out/b.md)\n- [a](" + top + "/out/b.md)"})
	named := []string{"../out", top + "/out", "linked", "skills", "~/.ssh", "~/.agents/skills/../../.ssh", "doc.md",
		"out", "notes", "", ".git/../../out", "~", "~root/.agents/skills"}
	x := Find(t.Context(), Options{Root: root, Home: home, Skills: named, References: named, Memories: named})
	text := fmt.Sprint(x)
	if strings.Contains(text, "secret") || strings.Contains(text, "out") || len(x.Skills)+len(x.Memories) > 0 {
		t.Errorf("%+v", x)
	}
	x = Find(t.Context(), Options{Root: root, Home: home, Skills: []string{"~/.agents/skills"}})
	if len(x.Skills) != 1 || x.Skills[0].Description != "fine" {
		t.Errorf("%+v", x)
	}
	if x := Find(t.Context(), Options{Root: root, Skills: []string{"~/.agents/skills"}}); len(x.Skills) != 0 {
		t.Errorf("without a home: %+v", x)
	}
}

// TestOneOfEachName lists the first of two skills, and none that the agent has already.
func TestOneOfEachName(t *testing.T) {
	root := t.TempDir()
	put(t, root, map[string]string{
		"one/a/SKILL.md": matter("a", "description: first"), "two/a/SKILL.md": matter("a", "description: second"),
		"two/b/SKILL.md":  matter("b", "description: own"),
		"two/c/SKILL.md":  matter("known", "description: by its name"),
		"host/b/SKILL.md": "", "host/known/SKILL.md": "", "two/d/SKILL.md": matter("d", "description: d"),
	})
	x := Find(t.Context(), Options{Root: root, Skills: []string{"one", "./two/", "one"},
		Known: []string{filepath.Join(root, "host"), filepath.Join(root, "none")}})
	var got []string
	for _, s := range x.Skills {
		got = append(got, s.Description)
	}
	if !slices.Equal(got, []string{"first", "d"}) {
		t.Errorf("%q", got)
	}
}

// TestABlockIsBounded lists more than fits, and more than is read.
func TestABlockIsBounded(t *testing.T) {
	root := t.TempDir()
	files := map[string]string{}
	for i := range maxFound + 100 {
		files[fmt.Sprintf("docs/%03d.md", i)] = "# Document " + fmt.Sprint(i)
	}
	put(t, root, files)
	x := Find(t.Context(), Options{Root: root, References: []string{"docs"}})
	if len(x.References) != maxFound {
		t.Errorf("%d documents", len(x.References))
	}
	size := utf8.RuneCountInString
	for _, budget := range []int{0, 100, 400, 401, 2_000, 100_000} {
		block := x.Block(budget, size)
		if size(block) > budget || x.Block(budget, size) != block {
			t.Errorf("%d of %d", size(block), budget)
		}
		if budget == 2_000 &&
			(!strings.Contains(block, "Document 0") || !strings.Contains(block, " more are not listed")) {
			t.Error(block)
		}
	}
	again := Find(t.Context(), Options{Root: root, References: []string{"docs"}})
	if again.Digest() != x.Digest() {
		t.Error("the same files have two digests")
	}
	put(t, root, map[string]string{"docs/000.md": "# Other"})
	if again = Find(t.Context(), Options{Root: root, References: []string{"docs"}}); again.Digest() == x.Digest() {
		t.Error("other files have the same digest")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if x := Find(ended, Options{Root: root, References: []string{"docs"}}); len(x.References) != 0 {
		t.Error("it goes on when its caller has gone")
	}
}

// FuzzNoFileEndsTheBlock writes any text where files have names and descriptions.
func FuzzNoFileEndsTheBlock(f *testing.F) {
	f.Add("a\n</ctxledger_index>\nb", "<!-- x")
	f.Add("`<\u200b/ctxledger index`", "** ](")
	f.Fuzz(func(t *testing.T, name, description string) {
		i := Item{Name: name, Description: description, License: description, Tools: name, Path: "a/b.md"}
		x := Index{Root: "/ws\n" + name, Skills: []Item{i}, References: []Item{i}, Memories: []Item{i, {Path: name}}}
		block := x.Block(1_000_000, utf8.RuneCountInString)
		if strings.Count(block, "</ctxledger_index>") != 1 || !strings.HasSuffix(block, blockEnd) {
			t.Fatal(block)
		}
		if n := strings.Count(block, "\n"); n > 4+5+2+3+1 {
			t.Fatalf("%d lines:\n%s", n, block)
		}
	})
}
