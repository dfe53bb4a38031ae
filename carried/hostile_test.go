package carried

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What people do not write ends all the same, and what was not read is said.
func TestHostileFiles(t *testing.T) {
	circle := map[string]string{"work/CLAUDE.md": "@c0.md\n"}
	for i := range 1_000 {
		circle[fmt.Sprintf("work/c%d.md", i)] = fmt.Sprintf("@c%d.md @c%d.md @CLAUDE.md\n", (i+1)%1_000, (i+7)%1_000)
	}
	wide := map[string]string{"work/CLAUDE.md": ""}
	for i := range 2_000 {
		wide["work/CLAUDE.md"] += fmt.Sprintf("@w%d.md\n", i)
		wide[fmt.Sprintf("work/w%d.md", i)] = "@CLAUDE.md\n"
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i < 'k'; i++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*%c,", i-1), 8))
	}
	for name, c := range map[string]struct {
		files map[string]string
		code  string // of a problem
	}{
		"circular imports of a thousand files": {circle, CircularImport},
		"two thousand imports":                 {wide, CircularImport},
		"ten megabytes": {map[string]string{"work/CLAUDE.md": strings.Repeat("Prices are in cents.\n", 500_000)},
			""},
		"too many megabytes": {map[string]string{"work/CLAUDE.md": strings.Repeat("x", maxFile+1)}, Unreadable},
		"no text":            {map[string]string{"work/CLAUDE.md": "a\x00b"}, Unreadable},
		"front matter that grows": {map[string]string{"work/.claude/skills/a/SKILL.md": "---\n" + bomb + "---\n"},
			FrontMatter},
		"a configuration without end": {map[string]string{"work/.mcp.json": strings.Repeat(`{"mcpServers":`, 5_000)},
			Unreadable},
		"a text that is one comment": {map[string]string{"work/CLAUDE.md": strings.Repeat("<!--", 100_000)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := Find(t.Context(), made(t, c.files).options())
			if len(r.Hosts) == 0 {
				t.Fatal("nothing was found")
			}
			found := map[string]bool{}
			r.Hosts[0].Each(func(p *Part) {
				for _, x := range p.Problems {
					found[x.Code] = true
				}
			})
			if c.code != "" && !found[c.code] || c.code == "" && found[Unreadable] {
				t.Errorf("the problems are %v", found)
			}
		})
	}
}

// No value of a configuration is in a report but the names of its servers.
func TestSecretsOfServersAreNotTold(t *testing.T) {
	r := Find(t.Context(), made(t, map[string]string{
		"work/.mcp.json":          `{"mcpServers": {"docs": {"command": "sk-one", "args": ["sk-two"], "env": {"KEY": "sk-three"}}}}`,
		"home/.codex/config.toml": "[mcp_servers.docs]\ncommand = \"sk-four\"\nenv = { KEY = \"sk-five\" }\n",
	}).options())
	raw, err := json.Marshal(r)
	if err != nil || len(r.Hosts) != 2 || bytes.Contains(raw, []byte("sk-")) {
		t.Errorf("%v: %s", err, raw)
	}
}

// FuzzTexts holds what is found in a text against its bounds, whatever the text is.
func FuzzTexts(f *testing.F) {
	paths, err := filepath.Glob("testdata/cases/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
	f.Add("---\nname: x\n---\n- In every answer, be brief.\n@a\\ b.md `@c` <!-- @d -->")
	f.Fuzz(func(t *testing.T, text string) {
		inside := func(s Span) bool { return 0 <= s.From && s.From <= s.To && s.To <= len(text) }
		for _, i := range append(claudeImports(text), geminiImports(text)...) {
			if !inside(i.at) || text[i.at.From] != '@' || strings.ContainsAny(i.path, "\n\t") {
				t.Fatalf("import %q at %v of %q", i.path, i.at, text)
			}
		}
		if prose := proseOf(text); len(prose) != len(text) {
			t.Fatalf("%d bytes of prose of %d", len(prose), len(text))
		}
		_, body, _, problems := readMatter(text, claudeSkills.mend)
		for _, p := range append(problems, alwaysOn(text, body)...) {
			if !inside(p.At) {
				t.Fatalf("%s at %v of %q", p.Code, p.At, text)
			}
		}
		eachPassage(text, func(at Span, line int, _, _ string) {
			if !inside(at) || line < 1 || line > 1+strings.Count(text, "\n") {
				t.Fatalf("a passage at %v, line %d of %q", at, line, text)
			}
		})
		if heading, section := heaviest(text); !strings.Contains(text, section) || strings.Contains(heading, "\n") {
			t.Fatalf("heaviest %q, %q", heading, section)
		}
		o, ok := jsonObject(text)
		if ok && (len(o.text) != len(text) || json.Valid([]byte(text)) && string(o.text) != text) {
			t.Fatalf("%q became %q", text, o.text)
		}
	})
}
