package e2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
)

// errand is what every agent does behind a proxy: a command by a tool of its own, then words.
func errand(tool, argument string) model.Script {
	return model.Script{
		model.Do("I look.", model.Call{Tool: tool, Input: map[string]any{argument: "echo seen", "description": "look"}}),
		model.Say("Seen."),
	}
}

// proxied are the agents besides Claude Code, each with how it is told of the scripted model, and with its arguments.
var proxied = []struct {
	name           string
	tool, argument string // that runs a command
	files          bool   // ctxledger reads its session files
	prepare        func(t *testing.T, s *sandbox.Sandbox, url string) (env, args []string)
}{
	{"codex", "exec_command", "cmd", true, func(t *testing.T, s *sandbox.Sandbox, url string) (env, args []string) {
		place(t, filepath.Join(s.Home, ".codex", "auth.json"), `{"OPENAI_API_KEY":"dummy"}`)
		place(t, filepath.Join(s.Home, ".codex", "config.toml"), "model=\"gpt-5\"\napproval_policy=\"never\"\n"+
			"sandbox_mode=\"danger-full-access\"\ncheck_for_update_on_startup=false\ntool_output_token_limit=30000\n[analytics]\nenabled=false\n")
		return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=dummy"},
			[]string{"exec", "--json", "--skip-git-repo-check", "Look."}
	}},
	{"gemini", "run_shell_command", "command", false, func(t *testing.T, s *sandbox.Sandbox, url string) (env, args []string) {
		place(t, filepath.Join(s.Home, ".gemini", "settings.json"), `{"security":{"auth":{"selectedType":"gemini-api-key"}},`+
			`"general":{"enableAutoUpdate":false},"model":{"disableLoopDetection":true},`+
			`"tools":{"truncateToolOutputThreshold":100000},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}`)
		return []string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"},
			[]string{"-m", "gemini-2.5-flash", "-p", "Look.", "--approval-mode", "yolo"}
	}},
	{"opencode", "bash", "command", false, func(t *testing.T, s *sandbox.Sandbox, url string) (env, args []string) {
		place(t, filepath.Join(s.Home, ".config", "opencode", "opencode.json"), `{"model":"fake/fake","provider":{"fake":{`+
			`"npm":"@ai-sdk/openai-compatible","name":"fake","options":{"baseURL":"{env:OPENAI_BASE_URL}","apiKey":"dummy"},`+
			`"models":{"fake":{"name":"fake","tool_call":true}}}}}`)
		return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=dummy", "OPENCODE_DISABLE_AUTOUPDATE=1",
			"OPENCODE_DISABLE_MODELS_FETCH=1"}, []string{"run", "Look."}
	}},
}

// place writes a file and the directories above it.
func place(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, text)
}

// TestRealAgentsBehindTheProxy: each works as without it, its requests are measured, and of those whose session files nobody
// reads what was said is recorded.
func TestRealAgentsBehindTheProxy(t *testing.T) {
	for _, a := range proxied {
		t.Run(a.name, func(t *testing.T) {
			program := model.Agent(t, a.name)
			s := newBox(t)
			api := open(t, s)
			server := model.New(errand(a.tool, a.argument), nil)
			variables, args := a.prepare(t, s, server.Start(t))
			ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
			defer cancel()
			cmd := s.Command(ctx, append([]string{"with", "--", program}, args...)...)
			cmd.Env = append(cmd.Env, "PATH="+model.Node(t)+":/usr/local/bin:/usr/bin:/bin", "TERM=dumb")
			cmd.Env = append(cmd.Env, variables...)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s", err, out.String())
			}
			if len(server.Log()) < 2 || !strings.Contains(out.String(), "Seen.") {
				t.Fatalf("%d requests: %s", len(server.Log()), out.String())
			}
			if page, err := api.Sessions(ctx, ledger.SessionsRequest{}); !a.files && (err != nil || page.Total != 1) {
				t.Errorf("%+v, %v", page, err)
			}
			x, err := api.Session(ctx, ledger.SessionRequest{Latest: true})
			if err != nil || x.Host != a.name {
				t.Fatalf("%+v, %v", x, err)
			}
			st, err := api.Status(ctx, ledger.StatusRequest{Session: x.ID})
			if err != nil || st.Proxy == nil {
				t.Fatalf("%+v, %v", st, err)
			}
			page, err := api.Requests(ctx, ledger.RequestsRequest{Session: x.ID})
			if err != nil || st.Proxy.Failed+st.Proxy.Missed+st.Proxy.Breaks > 0 || st.Proxy.Usage.Prompt() == 0 {
				t.Errorf("%+v, %v", st.Proxy, err)
			}
			last := page.Requests[len(page.Requests)-1]
			if last.Kept == 0 || last.Kept == last.Items || last.Tools != nil {
				t.Errorf("the last request is not compared with the one before: %+v", last)
			}
			if x.Turns != 1 || st.Total.Prompt() == 0 || st.Held.N < last.Usage.Prompt() {
				t.Errorf("%d turns, %+v, held %+v", x.Turns, st.Total, st.Held)
			}
		})
	}
}
