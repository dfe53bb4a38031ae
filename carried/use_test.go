package carried

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/ledger"
)

// TestUsesAreCounted: to add a case, add a row. A part is "server NAME" or "skill NAME", a call "NAME=CALLS"; skills
// that were used stand behind |. want has the calls of each part, "?" where nobody knows, and "!" for a finding.
func TestUsesAreCounted(t *testing.T) {
	for _, c := range []struct {
		name, host, parts string
		sessions          int
		calls, want       string
	}{
		{"a server of Claude Code", "claude-code", "server docs; server db", 30,
			"mcp__docs__find=3 mcp__docs__get=2 Bash=9", "5 0!"},
		{"signs that no tool's name has", "claude-code", "server my docs.v2", 30,
			"mcp__my_docs_v2__find=3", "3"},
		{"one name begins like another", "claude-code", "server a; server a__b", 30,
			"mcp__a__b__c=3 mcp__a__d=1", "1 3"},
		{"few sessions prove nothing", "claude-code", "server docs", 4, "", "0"},
		{"a server that is newer than the sessions", "claude-code", "new docs; new db", 30,
			"mcp__db__find=1", "none 1"},
		{"nothing is recorded", "claude-code", "server docs; skill go", 0, "", "? ?"},
		{"a server that is off", "claude-code", "off docs", 30, "", "0"},
		{"of Gemini CLI", "gemini", "server docs; server docs_old", 30,
			"mcp_docs_find=3 mcp_docs_old_find=1", "3 1"},
		{"of opencode", "opencode", "server docs", 30, "docs_find=3 read=1", "3"},
		{"of Codex", "codex", "server docs", 30, "mcp__docs__find=3", "3"},
		{"skills", "claude-code", "skill go; skill rust; skill c; skill tools:go", 30,
			"Skill=7 | go=4 tools:go=1 .claude/skills/rust/SKILL.md=2 /w/.claude/skills/rust/SKILL.md=1", "4 3 0 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, agent := Host{Name: c.host, Title: "Agent"}, agents()[c.host]
			for part := range strings.SplitSeq(c.parts, "; ") {
				kind, name, _ := strings.Cut(part, " ")
				p := Part{Kind: Kind(kind), Name: name, Unknown: kind == "server", agent: agent}
				p.Path = "/w/.claude/skills/" + name + "/SKILL.md"
				if kind == "off" || kind == "new" {
					p.Kind = Server
				}
				if kind == "new" {
					p.Unknown, p.Scope, p.Since = true, inProject, time.Unix(3, 0)
				}
				h.Parts = append(h.Parts, p)
			}
			tools, skills, _ := strings.Cut(c.calls, "|")
			r := Report{Hosts: []Host{h}}
			r.Count(ledger.ToolUse{Hosts: []ledger.HostToolUse{{Host: "another", Sessions: 9}, {Host: c.host,
				Sessions: c.sessions, Newest: time.Unix(2, 0), Tools: called(t, tools), Skills: called(t, skills)}}},
				"/w")
			var got []string
			for _, p := range r.Hosts[0].Parts {
				said := "?"
				if p.Use != nil {
					said = fmt.Sprint(p.Use.Calls)
				}
				if p.Used() == "no session since its configuration changed" {
					said = "none"
				}
				for _, x := range p.Problems {
					said += "!"
					if x.Code != UnusedServer || !strings.Contains(x.Message, "30 sessions of Agent") {
						t.Errorf("the finding is %+v", x)
					}
				}
				got = append(got, said)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("counted %s, not %s", got, c.want)
			}
		})
	}
}

func called(t *testing.T, text string) (out []ledger.Called) {
	t.Helper()
	for word := range strings.FieldsSeq(text) {
		c := ledger.Called{Last: time.Unix(1, 0)}
		name, n, _ := strings.Cut(word, "=")
		if _, err := fmt.Sscan(n, &c.Calls); err != nil {
			t.Fatal(err)
		}
		c.Name = name
		out = append(out, c)
	}
	return out
}
