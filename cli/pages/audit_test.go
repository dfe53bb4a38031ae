package pages

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/audit"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/report"
	"ctxledger.dev/tokens"
)

// drawn returns an audit on a screen of that size, without colours.
func drawn(r audit.Audit, width, height int) string {
	var out bytes.Buffer
	page := Page{W: &out, Width: width, Height: height, Home: "/home/买家", Stamp: time.Time.String, Line: columns.Cut,
		Own: func(text string) string { return text }}
	page.Audit(r, "", "")
	if r.Replayed != nil {
		page.Replayed(r.Replayed)
	}
	return out.String()
}

// largeAudit has more of everything than fits a screen, under long names in several scripts.
func largeAudit() audit.Audit {
	r := report.Report{Files: 900, Sessions: 800, Total: report.Spent{
		Requests: 123_456, Dollars: 54_321.98, Usage: tokens.Used{CacheRead: 98_765_432_100, Output: 12_345_678},
	}, Compacted: 86}
	for i := range 30 {
		d := 20_000 / float64(i+1)
		name := fmt.Sprintf("/home/买家/a rather long directory/%02d/src/components/very-long-name-of-a-file.tsx", i)
		s := report.Spent{Requests: 40_000 / (i + 1), Dollars: d,
			Usage: tokens.Used{CacheRead: int64(d * 1e6), Input: 1000}}
		c := report.Carried{Tokens: d * 100, Sent: d * 1e5, Dollars: d}
		r.Models = append(r.Models,
			report.Row{Name: fmt.Sprintf("provider/model-with-a-long-name-%d-20260101", i), Spent: s})
		r.Projects = append(r.Projects, report.Row{Name: name, Spent: s})
		r.Days = append(r.Days, report.Day{Day: fmt.Sprintf("2026-11-%02d", i+1), Spent: s})
		r.Dearest = append(r.Dearest, report.SessionRow{ID: "0123456789abcdef", Title: "Fix 🙂 the " + name, Spent: s})
		r.Tools = append(r.Tools,
			report.Tool{Name: fmt.Sprintf("mcp__a_server__a_tool_%d", i), Calls: 12_345, Carried: c})
		r.Read = append(r.Read, report.File{Path: name, Reads: 1234, Again: 999, Carried: c})
		r.Compactions = append(r.Compactions,
			report.Loss{Session: "0123456789abcdef", Before: 900_000, After: 60_000, Missing: 164, Used: 203,
				Names: []string{name, "SomeIdentifier", "another_identifier"}, Reread: report.Again{Count: 12}})
	}
	for i := range 7 {
		r.Filled = append(r.Filled, report.Filled{Class: report.Class(i).String(), Carried: r.Read[i].Carried})
	}
	for _, name := range []string{"tool results re-sent in more than 20 requests",
		"files read again that had not changed", "the system prompt, tools and memory files"} {
		r.Habits = append(r.Habits, report.Habit{Name: name, Advice: "compact or start a new chat when a task is done",
			Carried: r.Read[0].Carried})
	}
	r.Caveats = report.Caveats{Unpriced: []string{"one", "two"}, LongWrites: 1e9,
		Gaps:       []report.Gap{{Name: "fast", Requests: 12}},
		Unfinished: report.Unfinished{Requests: 4_000, Tokens: 1e6, Dollars: 12}}
	r.Subagents = report.Spent{Requests: 4, Dollars: 3}
	return audit.Audit{Report: r}
}

// TestWhatWasNotMeasuredHasNoFigure: a read that no measured request carried took 0 tokens.
func TestWhatWasNotMeasuredHasNoFigure(t *testing.T) {
	r := report.Report{Files: 1, Sessions: 1, Total: report.Spent{Requests: 1},
		Read: []report.File{{Path: "/p/a.go", Reads: 1}}}
	row := regexp.MustCompile(`(?m)^\s+≈TOKENS .*\n\s+– .*a\.go$`)
	if text := drawn(audit.Audit{Report: r}, 0, 0); !row.MatchString(text) {
		t.Errorf("the audit says\n%s", text)
	}
}

func TestAnAuditFitsTheScreen(t *testing.T) {
	for _, c := range []struct{ width, height, least int }{
		{40, 30, 24}, {60, 25, 18}, {80, 24, 20}, {80, 40, 33}, {100, 30, 23},
		{132, 50, 44}, {200, 70, 50}, {80, 0, 50}, {200, 0, 50},
	} {
		text := drawn(largeAudit(), c.width, c.height)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for _, l := range lines {
			if w := columns.Width(l); w > c.width {
				t.Errorf("%d×%d: %d columns: %s", c.width, c.height, w, l)
			}
		}
		if n := len(lines); c.height > 0 && n >= c.height || n < c.least {
			t.Errorf("%d×%d: %d lines\n%s", c.width, c.height, n, text)
		}
		aligned(t, lines)
	}
}

var (
	amountHead = regexp.MustCompile(`≈?DOLLARS`)
	amount     = regexp.MustCompile(`\$[\d,]+\.\d\d`)
)

// aligned checks that the columns of the lists are aligned: each amount ends where a heading does.
func aligned(t *testing.T, lines []string) {
	t.Helper()
	ends := func(re *regexp.Regexp, l string) (all []int) {
		for _, at := range re.FindAllStringIndex(l, -1) {
			all = append(all, columns.Width(l[:at[1]]))
		}
		return all
	}
	var heads []int
	rows := 0
	for _, l := range lines {
		switch amounts := ends(amount, l); {
		case amountHead.MatchString(l):
			heads = ends(amountHead, l)
		case len(amounts) == 0:
			heads = nil
		case heads != nil && !slices.Equal(heads[:len(amounts)], amounts):
			t.Errorf("a row is not aligned: %s", l)
		case heads != nil:
			rows += len(amounts)
		}
	}
	if rows < 3 {
		t.Errorf("only %d rows\n%s", rows, strings.Join(lines, "\n"))
	}
}

// Without colours, marks distinguish the parts of a bar.
func TestThePartsOfABarDiffer(t *testing.T) {
	lines := strings.Split(drawn(largeAudit(), 100, 24), "\n")
	bar, key := lines[1], strings.Join(lines[2:6], " ")
	marks := map[rune]bool{}
	for _, r := range bar {
		marks[r] = true
		if !strings.ContainsRune(key, r) {
			t.Errorf("%c is not explained in %s", r, key)
		}
	}
	if len(marks) < 7 || columns.Width(bar) != 100 {
		t.Errorf("%d marks in %s", len(marks), bar)
	}
}

// What has no price costs no $0.00.
func TestAnUnknownPriceIsNotNothing(t *testing.T) {
	r := largeAudit()
	r.Total.Unpriced = 1_230_000
	text := drawn(r, 100, 40)
	if !strings.Contains(text, "$54,321.98 at list prices, and 1.23 M tokens of models without a known price") {
		t.Error(text)
	}
	r.Filled = append(r.Filled, report.Filled{Class: "unpriced", Carried: report.Carried{Tokens: 1, Sent: 5_000}})
	if row := regexp.MustCompile(`(?m)^ +\? +\? +5\.00 K .* unpriced$`); !row.MatchString(drawn(r, 0, 0)) {
		t.Errorf("a part without a price has a share:\n%s", drawn(r, 0, 0))
	}
	r.Total.Dollars = 0
	r.Caveats.Unfinished = report.Unfinished{Requests: 3, Tokens: 5_000}
	r.Subagents = report.Spent{Requests: 4, Usage: tokens.Used{Input: 9_000}}
	r.Lost.Reread = report.Again{Count: 2, Carried: report.Carried{Sent: 7_000}}
	text = drawn(r, 100, 40)
	plain := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{"3 answers without their final usage: ≈5.00 K tokens more, judging by their text",
		"subagents: 9.00 K tokens of models without a known price, 4 requests", "then 2 files read again (≈7.00 K tokens)"} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if !strings.HasPrefix(text, "98.8 G tokens of models without a known price: 800 sessions") || strings.Contains(text, "DOLLARS") ||
		strings.Contains(text, "$0.00 ") {
		t.Error(text)
	}
}

// A replay is printed with what it covers, and with its sign.
func TestAReplayIsPrinted(t *testing.T) {
	play := func(dollars float64) report.Play { return report.Play{Dollars: dollars, Priced: true, Units: dollars} }
	for _, c := range []struct {
		ours []float64
		want string
	}{
		{nil, "nothing"},
		{[]float64{75},
			"1 of 9 sessions, the most expensive without subagents, 12% of the cost; if its view had been sent: 25% less, $75.00 instead of $100.00\n" +
				"           Simulated; no tasks were re-run\n           Installing alone does not send views: `ctxledger with --reduce -- claude` does\n"},
		{[]float64{100, 110},
			"2 of 9 sessions, the most expensive without subagents, 12% of the cost; if their views had been sent: 5% more, $210.00 instead of $200.00\n"},
	} {
		r := largeAudit()
		r.Replayed = &report.Replayed{Of: 9, Part: 0.12}
		for _, ours := range c.ours {
			r.Replayed.Add(report.PlayRow{Recorded: play(100), Ours: play(ours)}, 0)
		}
		if text := drawn(r, 0, 0); !strings.Contains(text, "REPLAYED   "+c.want) {
			t.Errorf("%s is missing in\n%s", c.want, text)
		}
	}
}

// TestAReplayOfAModelWithoutAPriceNamesIt, and has the dollars of the others.
func TestAReplayOfAModelWithoutAPriceNamesIt(t *testing.T) {
	r := largeAudit()
	r.Replayed = &report.Replayed{Of: 2, Part: 1}
	r.Replayed.Add(report.PlayRow{Model: "new-1", Recorded: report.Play{Units: 9e9}, Ours: report.Play{Units: 9e9}}, 0)
	r.Replayed.Add(report.PlayRow{Recorded: report.Play{Dollars: 100, Priced: true, Units: 1},
		Ours: report.Play{Dollars: 75, Priced: true, Units: 1}}, 0)
	want := "25% less, $75.00 instead of $100.00, without new-1, whose price is not known\n"
	if text := drawn(r, 0, 0); !strings.Contains(text, want) {
		t.Errorf("%s is missing in\n%s", want, text)
	}
}

// TestDaysWithoutSessionsAreDrawn: the axis of the days is time.
func TestDaysWithoutSessionsAreDrawn(t *testing.T) {
	r := largeAudit()
	one := report.Spent{Dollars: 1}
	r.Days = []report.Day{{Day: "2026-11-01", Spent: one}, {Day: "2026-11-08", Spent: one}}
	if text := drawn(r, 0, 0); !strings.Contains(text, "█▁▁▁▁▁▁█") && !strings.Contains(text, "▇▁▁▁▁▁▁▇") {
		t.Errorf("%s", text)
	}
}

// The replay's figure is not the one at the top of the page: where they differ, the line says so.
func TestAReplayNamesWhatWasReported(t *testing.T) {
	play := report.Play{Dollars: 6.75, Priced: true, Units: 1}
	for dollars, want := range map[float64]string{
		5.42: "instead of $6.75 (reported: $5.42; a replay cannot see the cache's contents, fees or advisors)\n",
		6.75: "instead of $6.75\n",
		0:    "instead of $6.75\n",
	} {
		r := largeAudit()
		r.Replayed = &report.Replayed{Of: 1, Part: 1, Reported: report.Spent{Dollars: dollars}}
		r.Replayed.Add(report.PlayRow{Recorded: play, Ours: play}, 0)
		if text := drawn(r, 0, 0); !strings.Contains(text, want) {
			t.Errorf("%v: %s is missing in\n%s", dollars, want, text)
		}
	}
}

func TestAnAuditOfOneSessionHasNoEmptyLists(t *testing.T) {
	r := report.Report{Files: 1, Sessions: 1, Models: []report.Row{{Name: "m"}}}
	text := drawn(audit.Audit{Report: r}, 80, 24)
	for _, bad := range []string{"TOOL", "FILE", "SESSION", "DIRECTORY", "COMPACTION"} {
		if strings.Contains(text, bad) {
			t.Errorf("found %s in\n%s", bad, text)
		}
	}
}
