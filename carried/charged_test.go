package carried_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// began is when the sessions of these tests began.
var began = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// measured is a session of Claude Code, of which so much was measured besides its messages, at 10 dollars for a million.
func measured(fixed int) ledger.Use {
	dollars, n := 10.0, tokens.Count{N: fixed, Upper: fixed}
	s := sessions.Session{Host: "claude-code", Created: began}
	return ledger.Use{Session: s, Fixed: &n, CarriedDollars: &dollars,
		Own: []ledger.Category{{Name: "user", Tokens: tokens.Count{N: 10, Exact: true, Upper: 10}},
			{Name: ledger.CategoryFixed, Tokens: n}}}
}

// TestOnlyWhatRequestsAreKnownToHaveCarriedIsClaimed: to add a case, add a row. parts are "KIND TOKENS HOURS", with the hours
// after the beginning of the session in which its file was changed, "?" where that is not known. What requests carry is
// explained by parts that add up to what was measured, and has cost dollars; otherwise neither is said.
func TestOnlyWhatRequestsAreKnownToHaveCarriedIsClaimed(t *testing.T) {
	for name, c := range map[string]struct {
		host, parts string
		fixed       int
		want        string
		dollars     float64
	}{
		"as before": {"claude-code", "memory 80 -1, rule 13 0, skill 7 -9, server 100 -1", 5_000,
			"system prompt and tools 4800, memory files 93, skills, agents and commands 7, MCP servers 100", 0.002},
		"a file was changed": {"claude-code", "memory 80 1, rule 13 -1, skill 7 -9", 5_000,
			"system prompt, tools and memory files 4993, skills, agents and commands 7", 0.0002},
		"nobody knows when": {"claude-code", "memory 80 ?", 5_000, "system prompt, tools and memory files 5000", 0},
		"a server was added": {"claude-code", "memory 80 -1, server 100 1", 5_000,
			"system prompt and tools 4920, memory files 80", 0.0008},
		"on demand": {"claude-code", "memory 80 -1, memory 0 1", 5_000,
			"system prompt and tools 4920, memory files 80", 0.0008},
		"no memory": {"claude-code", "skill 7 -1", 5_000,
			"system prompt, tools and memory files 4993, skills, agents and commands 7", 0.00007},
		"more than all":     {"claude-code", "memory 80 -1", 50, "system prompt, tools and memory files 50", 0},
		"of another agent":  {"codex", "memory 80 -1", 5_000, "system prompt, tools and memory files 5000", 0},
		"nothing is loaded": {"claude-code", "", 5_000, "system prompt, tools and memory files 5000", 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := carried.Host{Name: c.host}
			for text := range strings.SplitSeq(c.parts, ", ") {
				var p carried.Part
				var hours string
				if n, _ := fmt.Sscan(text, &p.Kind, &p.Carried.N, &hours); n == 0 {
					continue
				}
				if d, err := time.ParseDuration(hours + "h"); err == nil {
					p.Since = began.Add(d)
				}
				h.Parts, h.Carried = append(h.Parts, p), carried.Plus(h.Carried, p.Carried)
			}
			r, s := carried.Report{Hosts: []carried.Host{h}}, measured(c.fixed)
			var got []string
			for _, x := range r.Explain(s) {
				got = append(got, fmt.Sprintf("%s %d", x.Name, x.Tokens.N))
			}
			if strings.Join(got, ", ") != "user 10, "+c.want {
				t.Errorf("explained: %q, not %q", got, c.want)
			}
			charged, sum := r.Charged(s).Hosts[0], 0.0
			charged.Each(func(p *carried.Part) {
				if p.Dollars != nil {
					sum += *p.Dollars
				}
			})
			whole := 0.0
			if charged.Dollars != nil {
				whole = *charged.Dollars
			}
			if fmt.Sprintf("%.6f %.6f", sum, whole) != fmt.Sprintf("%.6[1]f %.6[1]f", c.dollars) {
				t.Errorf("the parts cost %v, together %v, not %v", sum, whole, c.dollars)
			}
			if s.CarriedDollars = nil; r.Charged(s).Hosts[0].Dollars != nil || h.Dollars != nil {
				t.Error("a price that nobody knows was charged, or the report itself")
			}
		})
	}
}

// TestAnImportIsAsOldAsWhatImportsIt: its file may have been there before.
func TestAnImportIsAsOldAsWhatImportsIt(t *testing.T) {
	root := t.TempDir()
	for name, c := range map[string]struct {
		text  string
		hours time.Duration
	}{"CLAUDE.md": {"See @old.md and @new.md\n", -2}, "old.md": {"Old.\n", -9}, "new.md": {"New.\n", 3}} {
		path, at := filepath.Join(root, name), began.Add(c.hours*time.Hour)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	e := env.Env{Now: time.Now, Home: t.TempDir(), Lookup: func(string) string { return "" }}
	r := carried.Find(t.Context(), carried.Options{Agents: registry.Carried(), Root: root, Env: e,
		Counter: tokens.O200kBase.Counter()})
	for i, want := range []time.Duration{-2, -2, 3} {
		p := r.Hosts[0].Parts[0]
		if i > 0 {
			p = p.Imports[i-1]
		}
		if got := p.Since.Sub(began); got != want*time.Hour {
			t.Errorf("%s is as it is since %s of the beginning, not %d hours", p.Name, got, want)
		}
	}
}
