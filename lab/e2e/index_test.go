package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	model "ctxledger.dev/lab/scriptedmodel"
)

// indexed are files by which the index says what Claude Code does not: the mark of each, and how often a request has it
// without our hooks and with them.
var indexed = []struct {
	path, text    string
	mark          string
	without, with int
}{
	{".claude/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: MARK-ONE how to deploy\n---\nBODY-ONE\n",
		"MARK-ONE", 1, 1},
	{".agents/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: MARK-TWO the same skill\n---\nBODY-TWO\n",
		"MARK-TWO", 0, 0},
	{".agents/skills/release/SKILL.md", "---\nname: release\ndescription: MARK-THREE how to release\n---\nBODY-THREE\n",
		"MARK-THREE", 0, 1},
	{"docs/schema.md", "# MARK-FOUR the schema\nBODY-FOUR\n", "MARK-FOUR", 0, 1},
	{"notes/MEMORY.md", "# Memory Index\n\n- [closing](memory_1.md) — MARK-FIVE on Mondays\n", "MARK-FIVE", 0, 1},
	{"notes/memory_1.md", "BODY-FIVE\n", "BODY-FIVE", 0, 0},
}

// TestTheIndexIsWhatTheRealAgentDoesNotList lets the real Claude Code make a request without our hooks, and with them,
// in a workspace that has skills for it and for other agents. It then reads a skill by the path that the index gives.
func TestTheIndexIsWhatTheRealAgentDoesNotList(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	for _, hooked := range []bool{false, true} {
		s := newBox(t)
		put(t, filepath.Join(s.Workspace, "ctxledger.yaml"),
			"index:\n  skills: [.agents/skills]\n  references: [docs]\n  memories: [notes]\n")
		for _, f := range indexed {
			put(t, filepath.Join(s.Workspace, filepath.FromSlash(f.path)), f.text)
		}
		// the list of skills is in requests of an agent that may use them
		server := model.New(model.Script{
			model.Do("", model.Call{Tool: "Read", Input: map[string]any{
				"file_path": "{{dir}}/.agents/skills/release/SKILL.md"}}),
			model.Say("Read."),
		}, model.Vars{"dir": s.Workspace})
		o := withHooks(s, server.Start(t), "Release it.")
		if hooked {
			open(t, s) // a daemon
			hookSettings(t, s, hookEvents, ownHook(s))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
		model.Run(ctx, t, o)
		cancel()
		log := server.Log()
		first, last := string(log[0].Body), string(log[len(log)-1].Body)
		for _, f := range indexed {
			want := f.without
			if hooked {
				want = f.with
			}
			if n := strings.Count(first, f.mark); n != want {
				t.Errorf("hooks %t: %s is %d times in the first request, want %d", hooked, f.mark, n, want)
			}
		}
		if strings.Contains(first, "BODY-") || strings.Count(last, "BODY-THREE") != 1 {
			t.Errorf("hooks %t: bodies are in the first request, or what was read is not in the last", hooked)
		}
		if n := strings.Count(last, "<ctxledger_index>"); hooked && n != 1 {
			t.Errorf("the index is %d times in the last request", n)
		}
	}
}

// put writes a file and the directories that it lies in.
func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, content)
}
