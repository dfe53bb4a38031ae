package agentmatrix

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/lab/programtest"
	model "ctxledger.dev/lab/scriptedmodel"
)

// TestCodexGoesOnWithASessionOfClaudeCode writes a session of Claude Code as a rollout, and has the real Codex resume it:
// its model reads the document once, the kept messages in order with whole pairs of calls and results, and the prompt.
func TestCodexGoesOnWithASessionOfClaudeCode(t *testing.T) {
	program := model.Agent(t, "codex")
	s := programtest.NewBox(t, bin)
	server := model.New(model.Script{model.Say("I go on.")}, nil)
	vars := model.Vars{"url": server.Start(t), "ctxmcp": filepath.Join(bin, "ctxmcp"), "home": s.Home, "state": s.State,
		"flags": `"--workspace=` + s.Workspace + `"`}
	codex := hosts[1]
	codex.install(t, s, vars)
	env := append(s.Env(), "TERM=dumb", "NO_PROXY=127.0.0.1,localhost", "CODEX_HOME="+filepath.Join(s.Home, ".codex"),
		"MODEL_KEY=dummy")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	session, err := filepath.Abs(recording)
	if err != nil {
		t.Fatal(err)
	}
	cmd := s.Command(ctx, "--json", "continue", session, "--in", "codex", "--dir", s.Workspace)
	cmd.Env = env
	var written struct {
		ID, File string
		Masked   bool
	}
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &written)
	}
	if err != nil || !written.Masked {
		t.Fatalf("%v: %s", err, out)
	}

	const prompt = "Is the report complete?"
	cmd = exec.CommandContext(ctx, program, "exec", "resume", "--json", "--skip-git-repo-check", written.ID, prompt)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.Workspace, env, shutdown
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	log := server.Log()
	if len(log) != 1 {
		t.Fatalf("%d requests", len(log))
	}
	continued(t, log[0].Body, prompt)
}

// continued checks the request of a session that was written for Codex.
func continued(t *testing.T, body []byte, prompt string) {
	t.Helper()
	var request struct {
		Input []struct {
			Type, Name string
			CallID     string `json:"call_id"`
			Content    []struct{ Text string }
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatal(err)
	}
	open, tools, documents, last := map[string]bool{}, map[string]int{}, 0, ""
	for i, item := range request.Input {
		switch {
		case strings.HasSuffix(item.Type, "_call"):
			open[item.CallID] = true
			tools[item.Name]++
		case strings.HasSuffix(item.Type, "_output"):
			if !open[item.CallID] {
				t.Errorf("item %d: a result of %s without its call", i, item.CallID)
			}
			delete(open, item.CallID)
		case item.Type == "message":
			for _, c := range item.Content {
				documents += strings.Count(c.Text, "<ctxledger_record>")
				last = c.Text
			}
		default:
			t.Errorf("item %d is a %s", i, item.Type)
		}
	}
	if len(open) > 0 || documents != 1 || last != prompt {
		t.Errorf("calls without results: %v; %d documents; the last message is %q", open, documents, last)
	}
	if tools["exec_command"] == 0 || tools["apply_patch"] == 0 {
		t.Errorf("calls by tool: %v", tools)
	}
	at := 0
	for _, want := range []string{"ctxledger_record", "I read it again before the next edit", "cat '/home/dev/shop/report",
		"prints the turnover by month", prompt} {
		i := strings.Index(string(body[at:]), want)
		if i < 0 {
			t.Errorf("no %q behind the others", want)
			continue
		}
		at += i
	}
}
