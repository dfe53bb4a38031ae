package audit_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/audit"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/report"
	"ctxledger.dev/tokens"
)

var update = flag.Bool("update", false, "rewrite what the cases want")

// TestCases audits the session files of each case in testdata and compares the figures.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d cases, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			dir := t.TempDir()
			raw, last := eachFile(t, name, func(file string, data []byte) { write(t, filepath.Join(dir, file), data) })
			found := run(t, dir)
			adds(t, found.Report)
			got := figures(found)
			if *update {
				if err := os.WriteFile(name, append(raw[:last], got...), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if want := string(raw[last:]); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// eachFile calls use with the files of a case, and returns its text and where what is wanted begins in it.
func eachFile(t *testing.T, path string, use func(file string, data []byte)) (raw []byte, last int) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	heads := regexp.MustCompile(`(?m)^-- (.+) --\n`).FindAllSubmatchIndex(raw, -1)
	for i, h := range heads[:len(heads)-1] {
		use(string(raw[h[2]:h[3]]), raw[h[1]:heads[i+1][0]])
	}
	return raw, heads[len(heads)-1][1]
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// run audits paths.
func run(t *testing.T, paths ...string) audit.Audit {
	t.Helper()
	found, err := audit.Run(context.Background(), audit.Options{
		Mask: strings.Clone,
		Env:  env.Env{Home: t.TempDir(), Lookup: func(string) string { return "" }}, Paths: paths,
		Models: tokens.Builtin(), Zone: time.UTC, Expect: func(int64) {}, Advance: func(int64) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// adds checks that what filled the requests adds up to what was reported.
func adds(t *testing.T, r report.Report) {
	t.Helper()
	var sent, dollars float64
	for _, f := range r.Filled {
		sent += f.Sent
		dollars += f.Dollars
	}
	if in := float64(r.Total.Usage.In()); math.Abs(sent-in) > 1e-6*max(in, 1) {
		t.Errorf("the parts of the requests have %f tokens, the requests %f", sent, in)
	}
	output := 0.0
	for _, m := range r.Models {
		known, _ := tokens.Builtin().Lookup(m.Name)
		output += known.Rates(tokens.Terms{}).Cost(tokens.Used{Output: m.Usage.Output}).Dollars
	}
	// Answers under other terms cost more or less.
	rest := math.Abs(dollars + output + r.Total.Fees - r.Total.Dollars)
	if rest > 1e-9*max(r.Total.Dollars, 1) && !strings.HasSuffix(t.Name(), "terms") {
		t.Errorf("parts for $%f, answers for $%f and fees of $%f, in all $%f", dollars, output, r.Total.Fees,
			r.Total.Dollars)
	}
}

// figures prints what an audit says, in short.
func figures(a audit.Audit) string {
	var b bytes.Buffer
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	spent := func(name string, s report.Spent) {
		say("%s: %d requests, input %d, read %d, written %d+%d, output %d, $%.6f", name, s.Requests, s.Usage.Input,
			s.Usage.CacheRead, s.Usage.CacheWrite, s.Usage.CacheWriteLong, s.Usage.Output, s.Dollars)
	}
	carried := func(name string, c report.Carried) {
		if c.Sent > 0 {
			say("%s: %.0f tokens, sent %.0f, $%.6f", name, c.Tokens, c.Sent, c.Dollars)
		}
	}
	say("%d files, %d sessions", a.Files, a.Sessions)
	spent("total", a.Total)
	if a.Subagents.Requests > 0 {
		spent("subagents", a.Subagents)
	}
	for _, s := range a.Dearest {
		spent("session "+s.ID[:8]+" "+s.Title, s.Spent)
	}
	for _, d := range a.Days {
		spent(d.Day, d.Spent)
	}
	for _, f := range a.Filled {
		carried(f.Class, f.Carried)
	}
	for _, x := range a.Tools {
		carried(fmt.Sprintf("tool %s, %d calls", x.Name, x.Calls), x.Carried)
	}
	for _, f := range a.Read {
		carried(fmt.Sprintf("file %s, %d reads, %d again, %d unchanged, %d after a compaction", f.Path, f.Reads,
			f.Again, f.Same, f.After), f.Carried)
	}
	for _, l := range a.Compactions {
		say("compaction %s: %d → %d, %d calls, %d of %d names missing %q", l.Trigger, l.Before, l.After, l.Calls,
			l.Missing, l.Used, l.Names)
		say("  read again %d %q, run again %d %q", l.Reread.Count, l.Reread.Examples, l.Rerun.Count, l.Rerun.Examples)
	}
	for _, d := range a.Damaged {
		say("damaged: %d broken, %d long, first %d", d.Broken, d.Long, d.First)
		if d.Partly > 0 {
			say("read in part: %d", d.Partly)
		}
	}
	c := a.Caveats
	if len(a.Models) > 1 {
		for _, m := range a.Models {
			spent("model "+m.Name, m.Spent)
		}
	}
	if n := a.Total.Usage.Searches; n > 0 {
		say("%d searches, fees of $%.6f", n, a.Total.Fees)
	}
	if len(c.Unpriced) > 0 || len(c.Gaps) > 0 || c.Unfinished.Requests > 0 {
		say("caveats: no price of %q, gaps %v, %d unfinished with %.0f tokens, $%.6f", c.Unpriced, c.Gaps,
			c.Unfinished.Requests, c.Unfinished.Tokens, c.Unfinished.Dollars)
	}
	return b.String()
}
