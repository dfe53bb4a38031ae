package ctxmcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/lab/programtest"
)

// TestAnAgentReadsAGraphInParts asks the program over its pipes, in a workspace with a document and settings.
func TestAnAgentReadsAGraphInParts(t *testing.T) {
	pl := programtest.NewPlace(t)
	for name, text := range map[string]string{
		"plan.md":        "# Goal {id=goal}\n\nFind it.\n\n## Part {id=part}\n\nHere.\n\n@llm\nprompt: Look.\nblock: goal/*\n",
		"ctxledger.yaml": "graph: {compat: fractalic}\n", "../out.md": "# Out\n",
	} {
		if err := os.WriteFile(filepath.Join(pl.Root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, pl.Command(t, binary, "--in-process", "--graph-tools"))
	p.send(t, call("1", "graph_blocks", map[string]any{"file": "plan.md"}),
		call("2", "graph_blocks", map[string]any{"file": filepath.Join(pl.Root, "plan.md"), "block": "part", "text": true}),
		call("3", "graph_prompt", map[string]any{"file": "plan.md", "operation": "part"}),
		call("4", "graph_blocks", map[string]any{"file": filepath.Join(pl.Root, "..", "out.md")}))
	has(t, p.answer(t, "1").text(t), "goal, line 1: ")
	has(t, p.answer(t, "2").text(t), "# Part {id=part}\n\nHere.")
	has(t, p.answer(t, "3").text(t), "block goal, goal/part ") // one message, as ctxledger.yaml says
	if text := p.answer(t, "4").text(t); strings.Contains(text, "# Out") || !strings.Contains(text, "outside") {
		t.Errorf("outside of the workspace: %s", text)
	}
	p.end(t)
	out, err := pl.Command(t, binary, "--http", "127.0.0.1:0", "--graph-tools").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "hosted workspaces have no files") {
		t.Errorf("over HTTP: %v, %s", err, out)
	}
}
