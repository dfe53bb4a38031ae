package carried_test

import (
	"errors"
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
			elsewhere := s
			if elsewhere.Session.Dir = "/elsewhere"; r.Charged(elsewhere).Hosts[0].Dollars != nil {
				t.Error("files of here were charged to a session that ran elsewhere")
			}
			other := s
			if other.Model = "gpt-5"; r.Charged(other).Hosts[0].Dollars != nil {
				t.Error("tokens of another model were charged")
			}
			if s.CarriedDollars = nil; r.Charged(s).Hosts[0].Dollars != nil || h.Dollars != nil {
				t.Error("a price that nobody knows was charged, or the report itself")
			}
		})
	}
}

// TestAPartIsAsOldAsItsPlace: what is imported, also as what imports it; and a file that is moved there keeps its own time
// of modification.
func TestAPartIsAsOldAsItsPlace(t *testing.T) {
	root, long := t.TempDir(), time.Now().AddDate(-1, 0, 0)
	write := func(name, text string) time.Time {
		path := filepath.Join(root, name)
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, long, long)); err != nil {
			t.Fatal(err)
		}
		return time.Now()
	}
	e := env.Env{Now: time.Now, Home: t.TempDir(), Lookup: func(string) string { return "" }}
	since := func() []time.Time {
		p := carried.Find(t.Context(), carried.Options{Agents: registry.Carried(), Root: root, Env: e,
			Meter: carried.For(ledger.Meter{Counter: tokens.O200kBase.Counter()})}).Hosts[0].Parts[0]
		return []time.Time{p.Since, p.Imports[0].Since, p.Imports[1].Since}
	}
	write("old.md", "Old.\n")
	write("CLAUDE.md", "See @old.md and @new.md\n")
	was := write("new.md", "New.\n")
	first := since()
	if !first[1].Equal(first[0]) || first[2].Before(first[0]) || first[0].Before(was.AddDate(0, 0, -1)) {
		t.Errorf("CLAUDE.md and its imports are as they are since %v", first)
	}
	for now := first[2]; !now.After(first[2]); { // the clock of the file system ticks
		write("other.md", "Another one.\n")
		if err := os.Rename(filepath.Join(root, "other.md"), filepath.Join(root, "new.md")); err != nil {
			t.Fatal(err)
		}
		if now = since()[2]; time.Since(was) > time.Minute {
			t.Fatalf("a file that was moved there is there since %v", now)
		}
	}
}

// TestAPartIsAsOldAsTheDirectoriesAndLinksToIt: to add a case, add a row. do is what happens to the workspace, below which the
// files of one and two have been since long ago; a part is newer only if it may have become another one by that.
func TestAPartIsAsOldAsTheDirectoriesAndLinksToIt(t *testing.T) {
	for name, c := range map[string]struct {
		imports string
		do      []string // pairs of rename: from, to; or a link: "@" and to; or a file: "" and its name
		newer   bool
	}{
		"a directory is swapped":          {"one/sub/a.md", []string{"one", "old", "two", "one"}, true},
		"the one below it is":             {"one/sub/a.md", []string{"one/sub", "old", "two/sub", "one/sub"}, true},
		"a link is set anew":              {"link/sub/a.md", []string{"link", "was", "@two", "link"}, true},
		"what a link leads to is swapped": {"link/sub/a.md", []string{"one", "old", "two", "one"}, true},
		"another directory is":            {"one/sub/a.md", []string{"two", "old"}, false},
		"a file is created beside it":     {"one/sub/a.md", []string{"", "one/sub/b.md"}, false},
		"one in the workspace":            {"one/sub/a.md", []string{"", "b.md"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			root, e := t.TempDir(), env.Env{Now: time.Now, Home: t.TempDir(), Lookup: func(string) string { return "" }}
			at := func(name string) string { return filepath.Join(root, name) }
			ok := func(errs ...error) {
				if err := errors.Join(errs...); err != nil {
					t.Fatal(err)
				}
			}
			write := func(path string) { ok(os.WriteFile(path, []byte("@"+c.imports+"\n"), 0o600)) }
			ok(os.MkdirAll(at("one/sub"), 0o700), os.MkdirAll(at("two/sub"), 0o700), os.Symlink("one", at("link")))
			for _, name := range []string{"CLAUDE.md", "one/sub/a.md", "two/sub/a.md"} {
				write(at(name))
			}
			since := func() time.Time {
				p := carried.Find(t.Context(), carried.Options{Agents: registry.Carried(), Root: root, Env: e,
					Meter: carried.For(ledger.Meter{Counter: tokens.O200kBase.Counter()})}).Hosts[0].Parts[0]
				if len(p.Imports) != 1 || p.Imports[0].Unknown || p.Imports[0].Carried.N == 0 {
					t.Fatalf("%+v", p)
				}
				return p.Imports[0].Since
			}
			first := since()
			if first.IsZero() {
				t.Skip("this system does not say when a file was put in its place")
			}
			for tick := filepath.Join(e.Home, "tick"); ; ok(os.Remove(tick)) { // the clock of the file system
				write(tick)
				if info, err := os.Stat(tick); err != nil || info.ModTime().After(first) {
					ok(err)
					break
				}
			}
			for do := c.do; len(do) > 0; do = do[2:] {
				if to, link := strings.CutPrefix(do[0], "@"); link {
					ok(os.Symlink(to, at(do[1])))
				} else if do[0] == "" {
					write(at(do[1]))
				} else {
					ok(os.Rename(at(do[0]), at(do[1])))
				}
			}
			if now := since(); now.After(first) != c.newer {
				t.Errorf("it is there since %v, and was since %v", now, first)
			}
		})
	}
}

// TestASessionThatRanBelowIsNotCharged: it had the files of its own directory, too.
func TestASessionThatRanBelowIsNotCharged(t *testing.T) {
	root, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	sub := filepath.Join(root, "sub")
	if err := errors.Join(os.Mkdir(sub, 0o700), os.Symlink(root, link),
		os.WriteFile(filepath.Join(root, "CLAUDE.md"), []byte("Be nice.\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	r := carried.Find(t.Context(), carried.Options{Agents: registry.Carried(), Root: root,
		Env:   env.Env{Now: time.Now, Home: t.TempDir(), Lookup: func(string) string { return "" }},
		Meter: carried.For(ledger.Meter{Counter: tokens.O200kBase.Counter()})})
	for dir, charged := range map[string]bool{root: true, link: true, sub: false} {
		s := measured(5_000)
		s.Session.Dir, s.Session.Tree, s.Session.Created = dir, root, time.Now().Add(time.Hour)
		if got := r.Charged(s).Hosts[0].Dollars != nil; got != charged {
			t.Errorf("in %s: charged %v", dir, got)
		}
		if known := len(r.Besides(s)) > 1; known != charged {
			t.Errorf("in %s: its memory files are known: %v", dir, known)
		}
	}
}

// TestASmallerWindowIsNotExplainedByAllThatWasMeasured: the parts of a window that holds less than that were more than it.
func TestASmallerWindowIsNotExplainedByAllThatWasMeasured(t *testing.T) {
	s := measured(5_000)
	s.Own[1].Tokens.N = 4_900
	r := carried.Report{Hosts: []carried.Host{{Name: "claude-code", Parts: []carried.Part{{Kind: carried.Memory,
		Carried: tokens.Count{N: 80}, Since: began.Add(-time.Hour)}}}}}
	if got := r.Explain(s); len(got) != 2 || got[1] != s.Own[1] {
		t.Errorf("explained: %+v", got)
	}
}
