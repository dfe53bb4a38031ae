package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSourcesAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]Source{
		"session_context":         {Kind: SessionContext},
		" Session_Context : ":     {Kind: SessionContext},
		"changes_recent":          {Kind: ChangesRecent},
		"changes_recent: 3":       {Kind: ChangesRecent, N: 3},
		"own_history:12":          {Kind: OwnHistory, N: 12},
		"brief_field: Test":       {Kind: BriefField, Param: "Test"},
		"file:docs/./a.md":        {Kind: File, Param: "docs/a.md"},
		`file:docs\a.md`:          {Kind: File, Param: "docs/a.md"},
		"file:{session_id}/a.md":  {Kind: File, Param: "{session_id}/a.md"},
		"execution_state:ignored": {Kind: ExecutionState},
	} {
		got, err := Parse(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	}
	for _, text := range []string{"", "x", "file:", "file:..", "file:a/../../b", "file:/a", `file:\\host\a`,
		"file:C:/a", "brief_field:", "changes_recent:", "changes_recent:-1", "own_history:many"} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%q is %+v", text, s)
		}
	}
}

// FuzzAFileStaysBelowTheWorkspace: whatever is written, and however it is read again.
func FuzzAFileStaysBelowTheWorkspace(f *testing.F) {
	for _, s := range []string{"file:a", "file:../x", `file:..\x`, "file:a/./..//b", "own_history:2", "broker:x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if s.Kind == File && !local(s.Param) {
			t.Fatalf("%q reads %q", text, s.Param)
		}
		again, err := Parse(s.String())
		if err != nil || again != s {
			t.Fatalf("%q is %+v, and read again %+v, %v", text, s, again, err)
		}
	})
}

func TestHeadingsAndLimits(t *testing.T) {
	for text, want := range map[string]string{"brief_field:goal": "Task: goal", "file:docs/a.md": "a.md",
		"execution_state": "Execution State", "own_history": "", "changes_recent:2": "Recent Changes"} {
		s, err := Parse(text)
		if err != nil || s.Heading() != want {
			t.Errorf("%s: %q, %v", text, s.Heading(), err)
		}
	}
	if s := (Source{Kind: OwnHistory}); s.Limit() != 8_000 || (Source{Kind: File}).Limit() != 4_000 ||
		(Source{MaxChars: 7}).Limit() != 7 {
		t.Error("limits")
	}
}

func TestAgentsAreFoundByEveryName(t *testing.T) {
	s := Spec{Agents: []Agent{{Name: "Developer", KnownAs: []string{"claude-code", "coder"}}, {Name: "Coder"},
		{Name: "Tester", Context: []Source{{Kind: SessionContext}}}},
		Handoffs: []Handoff{{From: "Developer", To: "Tester"}}}
	for name, want := range map[string]string{"developer": "Developer", "Claude Code": "Developer", "CODER": "Coder",
		"tester": "Tester", "nobody": "", "": ""} {
		if a, ok := s.Find(name); a.Name != want || ok != (want != "") {
			t.Errorf("%q is %q", name, a.Name)
		}
	}
	if !s.Same("claude", "Developer") || s.Same("a", "b") || !s.Same("x", "X") {
		t.Error("Same")
	}
	if !s.Concerns("tester") || s.Concerns("coder") || s.Concerns("") || !s.Receives("TESTER") || s.Receives("coder") {
		t.Error("Concerns, Receives")
	}
	if _, ok := s.Handoff("claude-code", "tester"); !ok {
		t.Error("a handoff by a host's name")
	}
}
