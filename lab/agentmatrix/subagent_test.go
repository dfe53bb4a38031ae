package agentmatrix

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lab/programtest"
	model "ctxledger.dev/lab/scriptedmodel"
)

// TestARealSubagentAsksAboutItself lets Claude Code send a subagent, which changes a file that the main agent has read. Each
// gets the status of its own window, and only the main agent's read is stale.
func TestARealSubagentAsksAboutItself(t *testing.T) {
	do := func(tool string, input in) model.Step { return model.Do("", model.Call{Tool: tool, Input: input}) }
	status, stale := do("context_status", in{}), do("changes", in{"path": "list.txt"})
	// Files are observed, which takes a moment.
	observed := "for i in $(seq 300); do " + filepath.Join(bin, "ctxledger") +
		" changes list.txt | grep modified && break; sleep 0.1; done"
	s := programtest.NewBox(t, bin)
	server := hosts[0].play(t, s, "--workspace="+s.Workspace,
		model.Script{
			do("Read", in{"file_path": "{{dir}}/list.txt"}),
			do("Agent", in{"description": "change it", "prompt": "Add a line.", "subagent_type": "general-purpose"}),
			do("Bash", in{"command": observed}), // the subagent works at the same time
			status, stale, model.Say("Done."),
		},
		model.Script{
			do("Bash", in{"command": "echo more >> {{dir}}/list.txt; " + observed}),
			status, stale, model.Say("Added."),
		})
	session := regexp.MustCompile(`^session ([0-9a-f]{8}), `)
	var names []string // of sessions, as their agents learn them
	lists := 0
	var said []string
	for _, x := range server.Log() {
		subagent := strings.Contains(x.Session, "/")
		for _, result := range x.Results {
			said = append(said, fmt.Sprintf("subagent %v, step %d: %.300s", subagent, x.Step, result))
			if m := session.FindStringSubmatch(result); m != nil {
				names = append(names, m[1])
			}
			if !strings.Contains(result, "newest first:") {
				continue
			}
			if lists++; strings.Contains(result, "stale") == subagent {
				t.Errorf("subagent: %v, %s", subagent, result)
			}
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != 2 || lists != 2 {
		t.Errorf("the agents are told of the sessions %q, and of changes %d times:\n%s", names, lists, strings.Join(said, "\n"))
	}
}
