package agentmatrix

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/carried"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/tokens"
)

// instructed is what an agent loads in a workspace, as package carried says and as its requests show.
type instructed struct {
	agent string // as package carried names it
	host  string
	// block matches the instructions in a request. Its groups, as many as match, are counted.
	block *regexp.Regexp
	// listed are the lines by which a request lists skills, subagents and commands.
	listed []string
}

var instructedHosts = []instructed{
	{"claude-code", model.Claude, regexp.MustCompile(`(?s)(Contents of .*?)</system-reminder>`),
		[]string{"\n- deploy: how to deploy\n", "\n- plain: Do it.\n", "\n- ship: ships\n",
			"\n- reviewer: reviews (Tools: Read, Grep)\n"}},
	{"codex", "codex", regexp.MustCompile(`(?s)(# AGENTS\.md instructions.*?</INSTRUCTIONS>)`), nil},
	{"gemini", "gemini", regexp.MustCompile(`(?s)(--- Context from: .*?--- End of Context from: [^\n]*---\n)`),
		nil},
	{"opencode", "opencode", regexp.MustCompile(`(?s)(Instructions from: .*?\nMARK-END)`), nil},
}

// maxError is how far the cost of the instructions may be from a count of the request, as a part of that.
const maxError = 0.05

// TestCarriedIsWhatRequestsOfRealAgentsCarry lets each agent make one request in a workspace with files of every kind, and compares
// what package carried finds with the request itself.
func TestCarriedIsWhatRequestsOfRealAgentsCarry(t *testing.T) {
	for _, c := range instructedHosts {
		t.Run(c.host, func(t *testing.T) {
			s := programtest.NewBox(t, bin)
			marks := instruct(t, s)
			sent := c.request(t, s)
			report := carried.Find(t.Context(), carried.Options{Root: s.Workspace, Env: at(s),
				Counter: tokens.O200kBase.Counter()})
			always, found := map[string]bool{}, 0
			for _, h := range report.Hosts {
				if h.Name != c.agent {
					continue
				}
				h.Each(func(p *carried.Part) {
					if p.Kind != carried.Memory && p.Kind != carried.Rule {
						return
					}
					always[p.Path] = p.When == "" && p.Carried.N > 0
					found += p.Carried.N
				})
			}
			for path, mark := range marks {
				if has := strings.Contains(sent, mark); has != always[path] {
					t.Errorf("%s is in the request: %v, and said to be: %v", path, has, always[path])
				}
			}
			measured := 0
			for _, m := range c.block.FindAllStringSubmatch(sent, -1) {
				measured += tokens.O200kBase.Count([]byte(m[1]))
			}
			off := float64(found-measured) / float64(max(measured, 1))
			t.Logf("instructions: %d tokens in the request, %d found: %+.1f %%", measured, found, 100*off)
			if measured == 0 || off > maxError || off < -maxError {
				t.Errorf("off by %.1f %%", 100*off)
			}
			for _, line := range c.listed {
				if !strings.Contains(sent, line) {
					t.Errorf("the request does not list %q", line)
				}
			}
		})
	}
}

// request has the agent make a request, and returns its texts.
func (c instructed) request(t *testing.T, s *sandbox.Sandbox) string {
	t.Helper()
	for _, h := range hosts {
		if h.name != c.host {
			continue
		}
		for _, x := range h.play(t, s, "--workspace="+s.Workspace, model.Script{model.Say("Done.")}, nil).Log() {
			if x.Step == 0 {
				return textsIn(t, x.Body)
			}
		}
	}
	t.Fatal("it made no request")
	return ""
}

// textsIn returns all texts of a request.
func textsIn(t *testing.T, body []byte) string {
	t.Helper()
	var any any
	if err := json.Unmarshal(body, &any); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	collect(&b, any)
	return b.String()
}

func collect(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		b.WriteString(v + "\n")
	case []any:
		for _, x := range v {
			collect(b, x)
		}
	case map[string]any:
		for _, x := range v {
			collect(b, x)
		}
	}
}

// at is the environment in which the agent runs.
func at(s *sandbox.Sandbox) env.Env {
	e := env.System()
	e.Home, e.Lookup = s.Home, func(string) string { return "" }
	return e
}

// instruct writes files of every kind into the workspace and the home, and returns what marks each in a request.
func instruct(t *testing.T, s *sandbox.Sandbox) (marks map[string]string) {
	t.Helper()
	marks = map[string]string{}
	text := strings.Repeat("Prices are kept in cents, as whole numbers; a change of them goes through the ledger. ", 12)
	put := func(dir, name, front, rest string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		mark := fmt.Sprintf("MARK-%02d", len(marks))
		marks[path] = mark
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		content := front + "# " + mark + "\n\n" + text + "\n" + rest + "\nMARK-END\n"
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(s.Workspace, "CLAUDE.md", "", "<!-- @docs/commented.md -->\nSee @docs/one.md and `@docs/code.md`.\n")
	put(s.Workspace, "AGENTS.md", "", "")
	put(s.Workspace, "GEMINI.md", "", "See @docs/gemini.md for more.\n")
	put(s.Workspace, "docs/gemini.md", "", "")
	for i, name := range []string{"one", "two", "three", "four", "five", "six"} {
		next := []string{"two", "three", "four", "five", "six", "one"}[i]
		put(s.Workspace, "docs/"+name+".md", "", "@"+next+".md\n")
	}
	put(s.Workspace, "docs/code.md", "", "")
	put(s.Workspace, "docs/commented.md", "", "")
	put(s.Workspace, ".claude/rules/always.md", "", "")
	put(s.Workspace, ".claude/rules/go.md", "---\npaths: \"**/*.go\"\n---\n", "")
	put(s.Workspace, "CLAUDE.local.md", "", "")
	put(s.Workspace, "web/CLAUDE.md", "", "")
	put(s.Home, ".claude/CLAUDE.md", "", "")
	put(s.Home, ".codex/AGENTS.md", "", "")
	put(s.Home, ".gemini/GEMINI.md", "", "")
	put(s.Home, ".config/opencode/AGENTS.md", "", "")
	put(s.Workspace, ".claude/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: how to deploy\n---\n", "")
	put(s.Workspace, ".claude/agents/reviewer.md",
		"---\nname: reviewer\ndescription: reviews\ntools: Read, Grep\n---\n", "")
	put(s.Workspace, ".claude/commands/ship.md", "---\ndescription: ships\n---\n", "")
	plain := filepath.Join(s.Workspace, ".claude", "commands", "plain.md")
	if err := os.WriteFile(plain, []byte("Do it.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return marks
}
