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
	const ignored = `\n\n## .gitignore\n` + "```" + `\n/bin\n` + "```" + `\n\n`
	given := map[string]int{}
	for _, x := range server.Log() {
		for _, want := range []string{
			`SubagentStart hook additional context: ## Runtime Environment\nArchitecture: `,
			ignored + `[AGENT CONTEXT — assembled from artifacts]\n\n## plan.md\nWrite, then test.`,
			ignored + `[AGENT CONTEXT — assembled from artifacts]\n\n## Recent Changes\n[Turn 1] claude-code`,
			ignored + `[Developer, earlier]\nWritten.\n\n[AGENT CONTEXT`,
			`SessionStart hook additional context: ## Runtime Environment\nArchitecture: `,
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

// TestTheRealAgentWithoutHooksIsToldByTheServer has the real Claude Code start with our server alone: its model reads in the
// instructions of the server what a hook would tell, also what is beyond their first 2,048 characters.
func TestTheRealAgentWithoutHooksIsToldByTheServer(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	lines := strings.Repeat("/"+strings.Repeat("a", 480)+"\n", 4) + "/the-last-line\n"
	write(t, filepath.Join(s.Workspace, ".gitignore"), lines)
	hookSettings(t, s, nil, nil)
	server := model.New(model.Script{model.Say("Done.")}, nil)
	o := withHooks(s, server.Start(t), "Work.")
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	model.Run(ctx, t, o)
	told := 0
	for _, x := range server.Log() {
		body := string(x.Body)
		if strings.Contains(body, `## Runtime Environment\nArchitecture: `) && strings.Contains(body, `/the-last-line\n`) {
			told++
		} else {
			_, after, _ := strings.Cut(body, "A lossless record of this workspace")
			t.Logf("%.6000s", after)
		}
	}
	if told == 0 {
		t.Error("its model was not told")
	}
}
