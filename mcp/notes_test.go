package mcp

import (
	"strings"
	"testing"

	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// resumed returns what the prompt resume gives.
func resumed(t *testing.T, f *fixture) string {
	t.Helper()
	var r proto.GetPromptRequest
	r.Params.Name = "resume"
	got, err := connect(t, f.Server, "another chat").GetPrompt(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return got.Messages[0].Content.(proto.TextContent).Text
}

const noted = "goal: ship 1.2; decided: no cache; open: the flaky upload test"

func TestNotesOfAChatWithoutASessionAreHandedOff(t *testing.T) {
	for name, before := range map[string]func(t *testing.T, f *fixture){
		"in an empty workspace":   func(*testing.T, *fixture) {},
		"next to another session": func(t *testing.T, f *fixture) { f.shop(t) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, nil)
			before(t, f)
			c := connect(t, f.Server, "claude-ai")
			do[memoryResult](t, c, "memory", args{"action": "save", "name": "port", "body": "The port is 4711."})
			r, text := do[compactResult](t, c, "compact_conversation", args{"notes": noted})
			if r.Status != statusHandedOff {
				t.Fatalf("%+v", r)
			}
			contains(t, text, noted, "The port is 4711.", "`resume`")
			contains(t, resumed(t, f), noted, "The port is 4711.", "session "+r.Session)
			r, text = do[compactResult](t, c, "compact_conversation", args{"notes": noted, "return": "receipt"})
			if r.Status != statusHandedOff || r.Summary != "" || strings.Contains(text, "4711") {
				t.Errorf("the receipt: %+v\n%s", r, text)
			}
		})
	}
}

// note records notes directly.
func (f *fixture) note(t *testing.T, session, text string) string {
	t.Helper()
	s, err := f.local.KeepNotes(t.Context(), ledger.KeepNotesRequest{Session: session,
		Notes: sessions.Notes{Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// Whatever becomes of a compaction, the next document has the notes.
func TestNotesOutliveACallThatCompactsNothing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		args   args
		status string
	}{
		{"everything fits", args{"messages": talk(2)[:2]}, statusNothing},
		{"mode auto, and nothing is due", args{"messages": talk(2), "mode": "auto"}, statusNothing},
		{"a mode that is not built", args{"messages": talk(2), "mode": "lossless"}, statusRefused},
		{"a model that is not there", args{"messages": talk(2), "mode": "llm"}, statusRefused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, nil)
			c := connect(t, f.Server, "tester")
			tt.args["notes"] = noted
			r, text := do[compactResult](t, c, "compact_conversation", tt.args)
			if r.Status != tt.status || r.Summary != "" {
				t.Fatalf("%+v", r)
			}
			contains(t, text, "The notes are kept")
			if r.Session == "" {
				t.Fatal("no session has them")
			}
			contains(t, resumed(t, f), noted)
		})
	}
}

func TestTheNextSummaryHasKeptNotesOnce(t *testing.T) {
	f := newFixture(t, nil)
	session := f.shop(t)
	f.note(t, session, noted)
	f.note(t, session, "newer: the upload test is fixed")
	c := connect(t, f.Server, "tester")
	r, _ := do[compactResult](t, c, "compact_conversation", args{"session": session})
	contains(t, r.Summary, noted, "newer: the upload test is fixed")
	again, err := f.local.PlanCompaction(t.Context(), ledger.PlanCompactionRequest{
		Session: session, Options: compaction.Options{Mode: compaction.Intent, Budget: 4000, Whole: true},
	})
	if err != nil || strings.Count(again.Summary.Text, noted) != 1 {
		t.Errorf("%d times in the next one, %v", strings.Count(again.Summary.Text, noted), err)
	}
	if _, err := f.local.Forget(t.Context(), ledger.ForgetRequest{Handle: session}); err != nil {
		t.Fatal(err)
	}
	if left, err := ledger.ReadNotes(t.Context(), f.local, session); err != nil || len(left) > 0 {
		t.Errorf("of a forgotten session %q is left, %v", left, err)
	}
}

func TestNothingToDoIsOneLine(t *testing.T) {
	f := newFixture(t, nil)
	session := f.shop(t)
	c := connect(t, f.Server, "tester")
	do[compactResult](t, c, "compact_conversation", args{"session": session})
	r, text := do[compactResult](t, c, "compact_conversation", args{"session": session})
	if r.Status != statusNothing || r.Summary != "" || strings.Count(text, "\n") > 1 {
		t.Errorf("%s", text)
	}
}
