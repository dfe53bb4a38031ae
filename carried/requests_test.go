package carried

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// maxOff is how far what is said may be from a request, as a part of that.
const maxOff = 0.02

// TestRequests compares what is found in the workspaces of testdata/cases with requests of the real agents there: the
// same memory files, skills, subagents and servers, and what they cost. lab/agentmatrix records the requests: to add a
// workspace, add a file with an empty section "request AGENT" for each agent.
func TestRequests(t *testing.T) {
	paths, err := filepath.Glob("testdata/cases/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files, about := split(string(raw))
		var report Report
		var at place
		for _, section := range slices.Sorted(maps.Keys(about)) {
			agent, is := strings.CutPrefix(section, "request ")
			if !is {
				continue
			}
			if compared++; at.root == "" {
				at = made(t, files)
				o := at.options()
				o.Meter = For(ledger.Meter{Counter: tokens.O200kBase.Counter()})
				report = Find(t.Context(), o)
			}
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txt")+"/"+agent, func(t *testing.T) {
				listed, found := recorded(t, about[section], at), said(report, agent)
				for _, name := range slices.Sorted(maps.Keys(listed)) {
					if _, is := found[name]; !is && !strings.HasPrefix(name, "root ") {
						t.Errorf("the request has %s", name)
					}
				}
				for _, name := range slices.Sorted(maps.Keys(found)) {
					if _, is := listed[name]; !is {
						t.Errorf("the request does not have %s", name)
					}
				}
				a, b := sum(listed), sum(found)
				if off := float64(b-a) / float64(max(a, 1)); off < -maxOff || off > maxOff {
					t.Errorf("%d tokens in the request, %d found: %+.1f%%", a, b, 100*off)
				}
				t.Logf("%d tokens in the request, %d found", a, b)
			})
		}
	}
	t.Logf("%d requests", compared)
}

// recorded returns what a request lists, by kind and name, with its tokens.
func recorded(t *testing.T, section string, at place) map[string]int {
	t.Helper()
	out := map[string]int{}
	names := strings.NewReplacer("ROOT", at.root, "HOME", at.home)
	for line := range strings.Lines(section) {
		var kind, name, text string
		if _, err := fmt.Sscanf(line, "%s %q %q\n", &kind, &name, &text); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if name = names.Replace(name); kind == "skill" {
			name = chars.Short(name, maxSkillName)
		}
		out[kind+" "+name] += tokens.O200kBase.CountString(names.Replace(text) + "\n")
	}
	return out
}

// said returns what is said to be in the requests of an agent, in the same form. What Codex and Gemini CLI load is in one
// text with what it belongs to.
func said(r Report, agent string) map[string]int {
	out := map[string]int{}
	var add func(p Part, name string)
	add = func(p Part, name string) {
		switch {
		case p.Kind == Server && !p.Off():
			out["server "+p.toolPrefix()] = 0
		case p.Carried.N == 0:
		case p.Kind == Memory || p.Kind == Rule:
			out["memory "+name] += p.Carried.N
		case p.Kind == Command:
			out["skill "+p.Name] += p.Carried.N
		default:
			out[string(p.Kind)+" "+p.Name] += p.Carried.N
		}
		for _, i := range p.Imports {
			if agent == "claude-code" {
				name = i.Path
			}
			add(i, name)
		}
	}
	for _, h := range r.Hosts {
		for _, p := range h.Parts {
			switch {
			case h.Name != agent:
			case agent == "codex":
				add(p, "")
			default:
				add(p, p.Path)
			}
		}
	}
	return out
}

func sum(of map[string]int) (n int) {
	for _, x := range of {
		n += x
	}
	return n
}
