package mcp

import (
	"context"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// writes returns an author that answers with a text, and counts how often it is asked.
func writes(text string, asked *int) func(root string) (ledger.Author, string, error) {
	return func(string) (ledger.Author, string, error) {
		return func(_ context.Context, b *compaction.Brief) (compaction.Answer, error) {
			*asked++
			return compaction.Answer{Text: text, FirstKept: b.FirstKept, Range: b.Range, Run: compaction.Run{
				Status: compaction.Accepted, Model: "m-1", Calls: 1, Usage: sessions.Usage{Input: 900, Output: 30},
			}}, nil
		}, "default", nil
	}
}

func TestAModelWritesInTheServersProcess(t *testing.T) {
	asked := 0
	f := newFixture(t, func(o *Options) {
		o.Author = writes("## Completed\n- All tests pass.\n- Rewrote src/dream.go.\n## Key Findings\n- the shop works",
			&asked)
	})
	session := f.shop(t)
	c := connect(t, f.Server, "tester")
	a := args{"session": session, "mode": "hybrid", "keep_turns": 2, "budget_tokens": 4_000, "request_id": "r1"}
	a["dry_run"] = true
	dry, _ := do[compactResult](t, c, "compact_conversation", a)
	warnings := strings.Join(dry.Warnings, "\n")
	if dry.Status != statusStaged || asked > 0 || !strings.Contains(warnings, "no model was asked") {
		t.Errorf("a dry run: %s, %v, asked %d times", dry.Status, dry.Warnings, asked)
	}
	delete(a, "dry_run")
	r, _ := do[compactResult](t, c, "compact_conversation", a)
	if r.Status != statusCompacted || asked != 1 || r.After.N >= r.Before.N {
		t.Fatalf("%s: %s, asked %d times", r.Status, r.Reason, asked)
	}
	contains(t, r.Summary, "- the shop works", "[CLAIM REMOVED — LEDGER: ", "## Remaining Work")
	contains(t, strings.Join(r.Warnings, "\n"), "1 statement of the model removed", "1 marked")
	again, _ := do[compactResult](t, c, "compact_conversation", a)
	if asked != 1 || again.SummaryID != r.SummaryID || again.Summary != r.Summary {
		t.Errorf("the request sent again asked a model %d times: %s and %s", asked, r.SummaryID, again.SummaryID)
	}
}

func TestAModelThatFailsLeavesTheDeterministicSummary(t *testing.T) {
	f := newFixture(t, func(o *Options) {
		o.Author = func(string) (ledger.Author, string, error) {
			return func(_ context.Context, b *compaction.Brief) (compaction.Answer, error) {
				return compaction.Unasked(b, "status 500 \x1b[31m"), nil
			}, "", nil
		}
	})
	session := f.shop(t)
	c := connect(t, f.Server, "tester")
	r, _ := do[compactResult](t, c, "compact_conversation",
		args{"session": session, "mode": "llm", "keep_turns": 2, "return": "receipt"})
	if r.Status != statusCompacted ||
		!strings.Contains(strings.Join(r.Warnings, "\n"), "was not used (failed): status 500") {
		t.Errorf("%s: %s, %q", r.Status, r.Reason, r.Warnings)
	}
}

func TestAnAuthorThatIsRefusedIsSaid(t *testing.T) {
	f := newFixture(t, func(o *Options) {
		o.Author = func(root string) (ledger.Author, string, error) {
			if root != shopRoot {
				t.Errorf("asked for the author of %q", root)
			}
			return nil, "", fault.New(fault.Denied, "test", "no person has used it").WithHint("have the user use it")
		}
	})
	session := f.shop(t)
	c := connect(t, f.Server, "tester")
	r, _ := do[compactResult](t, c, "compact_conversation", args{"session": session, "mode": "llm"})
	if r.Status != statusRefused {
		t.Fatal(r.Status)
	}
	contains(t, r.Reason, "no person has used it", "have the user use it", "Nothing was changed")
}
