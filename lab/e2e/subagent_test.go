package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
)

// TestASubagentOfTheRealAgentHasItsOwnSession lets the real Claude Code send a subagent whose calls run through our
// hooks: what it changes and runs is of its session, its large result is replaced, and only the main context is told
// what a session begins with, once.
func TestASubagentOfTheRealAgentHasItsOwnSession(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	allHooks(t, s) // before a daemon reads the configuration: it looks again half a second later
	api := open(t, s)
	write(t, filepath.Join(s.Workspace, "list.txt"), "one\ntwo\n")
	hookSettings(t, s, hookEvents, ownHook(s))
	do := func(tool string, input map[string]any) model.Step {
		return model.Do("", model.Call{Tool: tool, Input: input})
	}
	server := model.New(model.Script{
		do("Bash", map[string]any{"command": "wc -l list.txt"}),
		do("Agent", map[string]any{"description": "change it", "prompt": "Change it.",
			"subagent_type": "general-purpose"}),
		do("Bash", map[string]any{"command": "cat list.txt"}),
		model.Say("Done."),
	}, model.Vars{"dir": s.Workspace})
	server.Subagents = model.Script{
		do("Bash", map[string]any{"command": "seq 1 150000"}),
		do("Read", map[string]any{"file_path": "{{dir}}/list.txt"}),
		do("Edit", map[string]any{"file_path": "{{dir}}/list.txt", "old_string": "two", "new_string": "three"}),
		model.Say("Changed."),
	}
	o := withHooks(s, server.Start(t), "Work.")
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	first := model.Run(ctx, t, o)
	if got := follow(ctx, t, api, first.SessionID, []string{"Bash", "Agent", "Bash"}); got == "" {
		t.Fatal("the main session is not known")
	}

	blocks, reduced := map[bool]int{}, 0 // of the last request of the subagent, and of the main agent
	for _, x := range server.Log() {
		subagent := strings.Contains(x.Session, "/")
		blocks[subagent] = strings.Count(string(x.Body), "## Runtime Environment")
		for _, result := range x.Results {
			if subagent && strings.HasPrefix(result, "[result offloaded — 938,895 chars") && len(result) < 10_000 {
				reduced++
			}
		}
	}
	if blocks[true] != 0 || blocks[false] != 1 || reduced != 1 {
		t.Errorf("the environment is %d times in the subagent's context and %d times in the main one; %d results",
			blocks[true], blocks[false], reduced)
	}

	child := childOf(ctx, t, api, first.SessionID)
	follow(ctx, t, api, child, []string{"Bash", "Read", "Edit"})
	for host, want := range map[string][]string{
		first.SessionID: {"Bash wc -l list.txt Applied transcript", "Bash cat list.txt Applied transcript"},
		child:           {"Bash seq 1 150000 Applied transcript", "Edit list.txt Applied transcript"},
	} {
		found, err := api.Session(ctx, ledger.SessionRequest{HostID: host})
		if err != nil {
			t.Fatal(err)
		}
		page, err := api.Intents(ctx, ledger.IntentsRequest{Session: found.ID})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, in := range page.Intents {
			got = append(got, fmt.Sprintf("%s %s %s %s", in.Name, in.Target+in.Command, in.Status, in.Source))
		}
		if !slices.Equal(got, want) {
			t.Errorf("intents of %s: %q, want %q", host, got, want)
		}
	}
}

// childOf waits for the one session that a session started, and returns its host's id.
func childOf(ctx context.Context, t *testing.T, api ledger.API, hostID string) string {
	t.Helper()
	for after := int64(0); ; {
		main, err := api.Session(ctx, ledger.SessionRequest{HostID: hostID})
		if err != nil {
			t.Fatal(err)
		}
		list, err := api.Sessions(ctx, ledger.SessionsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		var children []string
		for _, x := range list.Sessions {
			if x.Parent == main.ID {
				children = append(children, x.HostID)
			}
		}
		if len(children) == 1 {
			return children[0]
		}
		r, err := api.WaitEvents(ctx, ledger.WaitEventsRequest{After: after, WaitMS: poll})
		if err != nil || len(r.Events) == 0 {
			t.Fatalf("sessions %+v: %v", list.Sessions, err)
		}
		after = r.Next
	}
}
