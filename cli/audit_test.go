package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"

	"ctxledger.dev/agents/audit"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/report"
)

// largeAudit has more of everything than fits a screen, under long names in several scripts.
func largeAudit() audit.Audit {
	r := report.Report{Files: 900, Sessions: 800, Total: report.Spent{
		Requests: 123_456, Dollars: 54_321.98, Usage: report.Usage{CacheRead: 98_765_432_100, Output: 12_345_678},
	}, Compacted: 86}
	for i := range 30 {
		d := 20_000 / float64(i+1)
		name := fmt.Sprintf("/home/买家/a rather long directory/%02d/src/components/very-long-name-of-a-file.tsx", i)
		s := report.Spent{Requests: 40_000 / (i + 1), Dollars: d, Usage: report.Usage{CacheRead: int64(d * 1e6), Input: 1000}}
		c := report.Carried{Tokens: d * 100, Sent: d * 1e5, Dollars: d}
		r.Models = append(r.Models, report.Row{Name: fmt.Sprintf("provider/model-with-a-long-name-%d-20260101", i), Spent: s})
		r.Projects = append(r.Projects, report.Row{Name: name, Spent: s})
		r.Days = append(r.Days, report.Day{Day: fmt.Sprintf("2026-11-%02d", i+1), Spent: s})
		r.Dearest = append(r.Dearest, report.SessionRow{ID: "0123456789abcdef", Title: "Fix 🙂 the " + name, Spent: s})
		r.Tools = append(r.Tools, report.Tool{Name: fmt.Sprintf("mcp__a_server__a_tool_%d", i), Calls: 12_345, Carried: c})
		r.Read = append(r.Read, report.File{Path: name, Reads: 1234, Again: 999, Carried: c})
		r.Compactions = append(r.Compactions, report.Loss{Session: "0123456789abcdef", Before: 900_000, After: 60_000, Missing: 164, Used: 203,
			Names: []string{name, "SomeIdentifier", "another_identifier"}, Reread: report.Again{Count: 12}})
	}
	for i := range 7 {
		r.Filled = append(r.Filled, report.Filled{Class: report.Class(i).String(), Carried: r.Read[i].Carried})
	}
	r.Caveats = report.Caveats{Unpriced: []string{"one", "two"}, Fast: 12, LongWrites: 1e9, Unfinished: report.Unfinished{Requests: 4_000, Tokens: 1e6, Dollars: 12}}
	r.Subagents = report.Spent{Requests: 4, Dollars: 3}
	return audit.Audit{Report: r}
}

func TestAnAuditFitsTheScreen(t *testing.T) {
	a := &app{Config: Config{Env: env.Env{Now: func() time.Time { return time.Time{} }, Home: "/home/买家"}}}
	for _, c := range []struct{ width, height, least int }{
		{80, 24, 18}, {80, 40, 28}, {100, 30, 20}, {132, 50, 40}, {200, 70, 60}, {80, 0, 60}, {200, 0, 60},
	} {
		text := string(a.auditText(largeAudit(), c.width, c.height))
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for _, l := range lines {
			if w := lipgloss.Width(l); w > c.width {
				t.Errorf("%d×%d: %d columns: %s", c.width, c.height, w, l)
			}
		}
		if n := len(lines); c.height > 0 && n >= c.height || n < c.least {
			t.Errorf("%d×%d: %d lines\n%s", c.width, c.height, n, text)
		}
		aligned(t, lines)
	}
}

// aligned checks that the columns of the main table stand under each other: each row's share ends where the
// heading's does.
func aligned(t *testing.T, lines []string) {
	t.Helper()
	end, rows := 0, 0
	for _, l := range lines {
		before, _, head := strings.Cut(l, "SHARE")
		switch {
		case head && end == 0:
			end = lipgloss.Width(before) + len("SHARE")
		case head && lipgloss.Width(before)+len("SHARE") != end:
			t.Errorf("a heading is not aligned: %s", l)
		case strings.HasPrefix(strings.TrimSpace(l), "$") && strings.Contains(l, " %"):
			rows++
			before, _, _ := strings.Cut(l, " %")
			if lipgloss.Width(before)+len(" %") != end {
				t.Errorf("a row is not aligned: %s", l)
			}
		}
	}
	if rows < 7 {
		t.Errorf("only %d rows", rows)
	}
}

func TestAnAuditOfOneSessionHasNoEmptyLists(t *testing.T) {
	a := &app{Config: Config{Env: env.Env{Now: func() time.Time { return time.Time{} }}}}
	r := report.Report{Files: 1, Sessions: 1, Models: []report.Row{{Name: "m"}}}
	text := string(a.auditText(audit.Audit{Report: r}, 80, 24))
	for _, bad := range []string{"TOOL", "FILE", "SESSION", "DIRECTORY", "COMPACTION"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s stands in\n%s", bad, text)
		}
	}
}
