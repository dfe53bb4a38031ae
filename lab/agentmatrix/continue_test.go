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

// TestTheRealCodexGoesOnWithASessionOfClaudeCode writes a session of Claude Code as a rollout, and has the real Codex resume it:
// its model reads the document once, the kept messages in order with whole pairs of calls and results, and the prompt.
func TestTheRealCodexGoesOnWithASessionOfClaudeCode(t *testing.T) {
	program := model.Agent(t, "codex")
	s := programtest.NewBox(t, bin)
	server := model.New(model.Script{model.Say("I go on.")}, nil)
	vars := model.Vars{"url": server.Start(t), "ctxmcp": filepath.Join(bin, "ctxmcp"), "home": s.Home, "state": s.State,
		"flags": `"--workspace=` + s.Workspace + `"`}
	codex := hosts[1]
	codex.install(t, s, vars)
	env := codex.environment(t, s, vars, program)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	session, err := filepath.Abs(recording)
	if err != nil {
		t.Fatal(err)
	}
	cmd := s.Command(ctx, "--json", "resume", session, "--in", "codex", "--dir", s.Workspace)
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

// TestTheRealClaudeCodeGoesOnWithASessionOfCodex lets the real Codex work, reads its rollout, and writes the session for Claude
// Code, which loads it: its model reads what was said in Codex, the call with its result, and the prompt.
func TestTheRealClaudeCodeGoesOnWithASessionOfCodex(t *testing.T) {
	program := model.Agent(t, "codex")
	s := programtest.NewBox(t, bin)
	put(t, filepath.Join(s.Workspace, "price.txt"), "a bolt is 12 cents\n")
	server := model.New(model.Script{
		model.Do("I look at the price.", model.Call{Tool: "exec_command", Input: in{"cmd": "cat price.txt"}}),
		model.Say("It is twelve cents."),
	}, nil)
	vars := model.Vars{"url": server.Start(t), "ctxmcp": filepath.Join(bin, "ctxmcp"), "home": s.Home, "state": s.State,
		"flags": `"--workspace=` + s.Workspace + `"`}
	codex := hostNamed(t, "codex")
	codex.install(t, s, vars)
	env := codex.environment(t, s, vars, program)
	output(t, s, env, program, append(codex.arguments, "-s", "danger-full-access", "What is a bolt?")...)
	files, err := filepath.Glob(filepath.Join(s.Home, ".codex", "sessions", "*", "*", "*", "rollout-*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("rollouts %q, %v", files, err)
	}
	ask := func(arguments ...string) string {
		return output(t, s, env, filepath.Join(bin, "ctxledger"), arguments...)
	}
	lines := strings.Split(strings.TrimSpace(ask("import", files[0])), "\n")
	session := lines[len(lines)-1]
	if list := ask("sessions"); !strings.Contains(list, session) || !strings.Contains(list, "What is a bolt?") {
		t.Errorf("the sessions are %s", list)
	}
	if st := decoded(t, []byte(ask("status", "--json", session))); st.SinceTurns != 1 || st.Held.N < 1000 {
		t.Errorf("%d turns, %d tokens held", st.SinceTurns, st.Held.N)
	}
	if again := ask("import", files[0]); !strings.Contains(again, session) {
		t.Errorf("imported again: %s", again)
	}
	var written struct{ ID, File string }
	if err := json.Unmarshal([]byte(ask("--json", "resume", session, "--in", "claude-code")), &written); err != nil {
		t.Fatal(err)
	}
	server = model.New(model.Script{model.Say("I go on.")}, nil)
	r := model.Run(t.Context(), t, model.Options{Dir: s.Workspace, ConfigDir: filepath.Join(s.Home, ".claude"),
		URL: server.Start(t), Prompt: "And a nut?", Resume: written.ID})
	if r.SessionID != written.ID {
		t.Errorf("session %s went on as %s", written.ID, r.SessionID)
	}
	body, at := string(server.Log()[0].Body), 0
	for _, want := range []string{"<ctxledger_record>", "What is a bolt?", "I look at the price.", "cat price.txt",
		"a bolt is 12 cents", "It is twelve cents.", "And a nut?"} {
		i := strings.Index(body[at:], want)
		if i < 0 {
			t.Errorf("no %q behind the others in %s", want, body)
			continue
		}
		at += i
	}
	if strings.Contains(body, "<environment_context>") {
		t.Error("what Codex wrote in the user's name is in the request")
	}
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
