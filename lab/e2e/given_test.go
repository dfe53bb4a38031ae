package e2e

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
)

// TestSubagentsOfTheRealAgentAreGivenTheirContext has the real Claude Code start two kinds of subagents: each gets exactly what is
// declared for its kind, by the hook SubagentStart, and the session itself only what that host does not tell its model.
func TestSubagentsOfTheRealAgentAreGivenTheirContext(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	write(t, filepath.Join(s.Workspace, "ctxledger.yaml"), `agents:
  - name: Developer
    known_as: [general-purpose]
    context: [{source: "file:plan.md"}, {source: own_history}]
  - name: Tester
    known_as: [Explore]
    context: [{source: changes_recent}, {source: execution_state}]
`)
	write(t, filepath.Join(s.Workspace, "plan.md"), "Write, then test.\n")
	write(t, filepath.Join(s.Workspace, ".gitignore"), "/bin\n")
	api := open(t, s)
	hookSettings(t, s, append([]string{"SubagentStart"}, hookEvents...), ownHook(s))
	start := func(kind string) model.Step {
		return model.Do("", model.Call{Tool: "Agent", Input: map[string]any{"description": "work", "prompt": "Work.",
			"subagent_type": kind, "run_in_background": false}})
	}
	server := model.New(model.Script{
		model.Do("", model.Call{Tool: "Write", Input: map[string]any{"file_path": "{{dir}}/a.txt", "content": "a\n"}}),
		start("general-purpose"), start("Explore"), start("general-purpose"),
		model.Say("Done.")}, model.Vars{"dir": s.Workspace})
	server.Subagents = model.Script{model.Say("Written.")}
	o := withHooks(s, server.Start(t), "Work.")
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	main := model.Run(ctx, t, o)
	given := map[string]int{}
	for _, x := range server.Log() {
		for _, want := range []string{
			`SubagentStart hook additional context: [AGENT CONTEXT — assembled from artifacts]\n\n## plan.md\nWrite, then test.`,
			`SubagentStart hook additional context: [AGENT CONTEXT — assembled from artifacts]\n\n## Recent Changes\n[Turn 1] claude-code`,
			`SubagentStart hook additional context: [Developer, earlier]\nWritten.\n\n[AGENT CONTEXT`,
			`SessionStart hook additional context: ## Runtime Environment\nArchitecture: `,
			`\n\n## .gitignore\n` + "```" + `\n/bin\n` + "```",
		} {
			if strings.Contains(string(x.Body), want) {
				given[want]++
			}
		}
	}
	if len(given) != 5 {
		for _, x := range server.Log() {
			_, after, _ := strings.Cut(string(x.Body), "SubagentStart hook additional context: ")
			t.Logf("%s: %.600s", x.Session, after)
		}
		t.Errorf("given: %v", given)
	}
	page, err := api.WaitEvents(ctx, ledger.WaitEventsRequest{Kinds: []string{ledger.EventAssembly}})
	if err != nil || len(page.Events) != 3 {
		t.Errorf("%d assemblies of session %s, %v", len(page.Events), main.SessionID, err)
	}
}
