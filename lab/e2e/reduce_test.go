package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
	"ctxledger.dev/workspace"
)

// killing kills the processes of ours that work with the state of a test, but for the MCP server, which no agent starts again.
const killing = `for p in /proc/[0-9]*; do if grep -qsF '{{state}}' $p/environ && grep -qsaE 'behin[d]|ctxledger-?daemo[n]' ` +
	`$p/cmdline; then kill -9 ${p#/proc/}; fi; done; true`

// chore is a task of some forty calls: it reads large files, one of them again and again, changes some, and runs commands.
// With back, the agent reads the original of the first stub before it ends.
func chore(back bool) model.Script {
	call := func(tool string, input map[string]any) model.Step {
		return model.Do("", model.Call{Tool: tool, Input: input})
	}
	path := func(n int) string { return fmt.Sprintf("{{dir}}/f%d.txt", n) }
	script := model.Script{}
	for n := range 6 {
		script = append(script, call("Read", map[string]any{"file_path": path(n)}),
			call("Bash", map[string]any{"command": fmt.Sprintf("for i in $(seq 300); do printf 'step %%s of %d\\r' $i; done; echo done", n),
				"description": "bar"}),
			call("Edit", map[string]any{"file_path": path(n), "old_string": "line 7 of file", "new_string": "line seven of file"}),
			call("Bash", map[string]any{"command": "head -c 20000 " + path(n), "description": "look"}),
			call("Write", map[string]any{"file_path": fmt.Sprintf("{{dir}}/new%d.txt", n), "content": fmt.Sprint("made ", n, "\n")}),
			call("Bash", map[string]any{"command": fmt.Sprintf("seq %d 900", n), "description": "count"}))
		if n == 3 { // the proxy and the owner of the ledger die
			script = append(script, call("Bash", map[string]any{"command": killing, "description": "kill"}))
		}
	}
	script = append(script, call("Bash", map[string]any{"command": "cat {{dir}}/new*.txt > {{dir}}/all.txt", "description": "join"}))
	if back {
		script = append(script, call("read_artifact", map[string]any{"id": "{{handle}}", "lines": "900-920"}))
	}
	return append(script, model.Say("All done."))
}

// furnish writes the files of the chore.
func furnish(t *testing.T, dir string) {
	t.Helper()
	for n := range 6 {
		var b strings.Builder
		for i := range 1_200 {
			fmt.Fprintf(&b, "line %d of file %d has words that nobody needs twice\n", i, n)
		}
		write(t, filepath.Join(dir, fmt.Sprintf("f%d.txt", n)), b.String())
	}
}

// contents returns the digest of each file below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		sum := sha256.Sum256(raw)
		out[strings.TrimPrefix(path, dir)] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// labour is one run of the chore: the requests that the model got, and the files at its end.
type labour struct {
	s       *sandbox.Sandbox
	session ledger.SessionRequest
	log     []model.Exchange
	files   map[string]string
}

// bytes is the sum of all requests.
func (w labour) bytes() (n int) {
	for _, x := range w.log {
		n += len(x.Body)
	}
	return n
}

// started writes a program that starts an agent by a command of ours, such as "with --reduce", and returns its path.
func started(t *testing.T, s *sandbox.Sandbox, command, agent string) string {
	t.Helper()
	path := filepath.Join(s.Top, "behind.sh")
	script := "#!/bin/sh\nexec '" + s.Bin + "/ctxledger' " + command + " -- '" + agent + "' \"$@\"\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// worker is a real agent that does the chore.
type worker struct {
	name   string
	format transcript.Format
	// does turns the chore into calls of its own tools.
	does func(model.Script) model.Script
	// run runs it, started by a command of ours ("": by none), until it says that all is done. It returns what finds its session.
	run func(ctx context.Context, t *testing.T, s *sandbox.Sandbox, command, url string) ledger.SessionRequest
}

// workers are those whose requests are made smaller.
var workers = []worker{
	{model.Claude, transcript.Anthropic, func(s model.Script) model.Script { return s }, runClaude},
	{"codex", transcript.OpenAIResponses, inShell("exec_command", "cmd", "max_output_tokens", 30_000), runCodex},
	{"opencode", transcript.OpenAIChat, inShell("bash", "command", "description", "work"), runOpenCode},
	{"gemini", transcript.Gemini, inShell("run_shell_command", "command", "description", "work"), runGemini},
}

func runClaude(
	ctx context.Context, t *testing.T, s *sandbox.Sandbox, command, url string,
) ledger.SessionRequest {
	t.Helper()
	program := model.Agent(t, model.Claude)
	if command != "" {
		program = started(t, s, command, program)
	}
	result, err := model.Exec(ctx, program, model.Options{Dir: s.Workspace, ConfigDir: s.Config, URL: url,
		Prompt:   "Do the chore.",
		ExtraEnv: []string{workspace.StateVariable + "=" + s.State, "ENABLE_TOOL_SEARCH=true"}})
	if err != nil || !strings.Contains(result.Text, "All done.") {
		t.Fatalf("%s, %v", result.Raw, err)
	}
	return ledger.SessionRequest{HostID: result.SessionID}
}

func runCodex(
	ctx context.Context, t *testing.T, s *sandbox.Sandbox, command, url string,
) ledger.SessionRequest {
	t.Helper()
	variables, args := proxied[0].prepare(t, s, url)
	if command == "" { // else it gets that from our command
		args = append([]string{"-c", `openai_base_url="` + url + `/v1"`}, args...)
	}
	out := runOnNode(ctx, t, s, command, "codex", variables, args)
	thread := regexp.MustCompile(`"thread_id":"([^"]+)"`).FindStringSubmatch(out)
	if thread == nil {
		t.Fatalf("%.5000s", out)
	}
	return ledger.SessionRequest{HostID: thread[1]}
}

func runOpenCode(
	ctx context.Context, t *testing.T, s *sandbox.Sandbox, command, url string,
) ledger.SessionRequest {
	t.Helper()
	variables, args := proxied[2].prepare(t, s, url)
	runOnNode(ctx, t, s, command, "opencode", variables, args)
	return ledger.SessionRequest{Latest: true} // it has the only one
}

// runGemini runs Gemini CLI, which takes no server for one run: ours is connected.
func runGemini(
	ctx context.Context, t *testing.T, s *sandbox.Sandbox, command, url string,
) ledger.SessionRequest {
	t.Helper()
	variables, args := proxied[1].prepare(t, s, url)
	run(t, s, "install", "gemini", "--yes")
	runOnNode(ctx, t, s, command, "gemini", variables, args)
	return ledger.SessionRequest{Latest: true} // it has the only one
}

// runOnNode runs one of the agents that need Node, and returns what it prints.
func runOnNode(
	ctx context.Context, t *testing.T, s *sandbox.Sandbox, command, agent string, variables, args []string,
) string {
	t.Helper()
	program := model.Agent(t, agent)
	if command != "" {
		program = started(t, s, command, program)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = s.Workspace
	cmd.Env = append(s.Env(), "PATH="+model.Node(t)+":/usr/local/bin:/usr/bin:/bin", "TERM=dumb")
	cmd.Env = append(cmd.Env, variables...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "All done.") {
		t.Fatalf("%v: %.5000s", err, out)
	}
	return string(out)
}

// inShell has an agent do by commands, with one tool, what Claude Code does with several. The tool gets another argument, too.
func inShell(tool, argument, also string, value any) func(model.Script) model.Script {
	return func(script model.Script) (out model.Script) {
		for _, step := range script {
			calls := slices.Clone(step.Calls)
			for i, c := range calls {
				if cmd := command(c); cmd != "" {
					calls[i] = model.Call{Tool: tool, Input: map[string]any{argument: cmd, also: value}}
				}
			}
			out = append(out, model.Step{Text: step.Text, Calls: calls})
		}
		return out
	}
}

// command returns a command that does what a tool of Claude Code does; "": none.
func command(c model.Call) string {
	in := func(name string) string { text, _ := c.Input[name].(string); return text }
	switch c.Tool {
	case "Read":
		return "cat " + in("file_path")
	case "Edit":
		return fmt.Sprintf("sed -i 's/%s/%s/' %s", in("old_string"), in("new_string"), in("file_path"))
	case "Write":
		return fmt.Sprintf("printf '%s' > %s", in("content"), in("file_path"))
	case "Bash":
		return in("command")
	}
	return ""
}

// remembering is a model that takes the handle of the first stub from the newest request, and can use it in its calls.
type remembering struct {
	*model.Server
	vars model.Vars
}

// ServeHTTP implements http.Handler.
func (r remembering) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(io.LimitReader(q.Body, 32<<20))
	if err != nil {
		return
	}
	q.Body = io.NopCloser(bytes.NewReader(body))
	if m := firstStub.FindSubmatch(body); m != nil {
		r.vars["handle"] = string(m[1])
	}
	r.Server.ServeHTTP(w, q)
}

// someLines are lines of the first file. Agents number them differently.
var someLines = regexp.MustCompile(`line (9|10|11)\d\d? of file 0`)

// firstStub finds the first handle behind the call that reads the first file.
var firstStub = regexp.MustCompile(`(?s)f0\.txt.*?read_artifact\(id=\\*"([0-9a-f]+)`)

// runChore has an agent do the chore, started by a command of ours; "": by none.
func (w worker) runChore(ctx context.Context, t *testing.T, command string, back bool) labour {
	t.Helper()
	s := newBox(t)
	furnish(t, s.Workspace)
	vars := model.Vars{"dir": s.Workspace, "state": s.State}
	m := remembering{model.New(w.does(chore(back)), vars), vars}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	session := w.run(ctx, t, s, command, server.URL)
	return labour{s, session, m.Log(), contents(t, s.Workspace)}
}

// TestARealAgentTakesNoOtherServerForOurs: a server of a repository that has the name of ours is not started, so that it is not
// the one whose tool is allowed.
func TestARealAgentTakesNoOtherServerForOurs(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	claude := model.Agent(t, model.Claude)
	s := newBox(t)
	mark := filepath.Join(s.Top, "started")
	write(t, filepath.Join(s.Workspace, ".mcp.json"), `{"mcpServers":{"ctxledger":{"type":"stdio","command":"/bin/sh","args":`+
		`["-c","touch `+mark+`; exec `+s.Bin+`/ctxmcp"],"alwaysLoad":true}}}`)
	write(t, filepath.Join(s.Config, "settings.json"), `{"enableAllProjectMcpServers":true}`)
	server := model.New(model.Script{model.Say("Done.")}, nil)
	_, err := model.Exec(ctx, started(t, s, "with --reduce", claude), model.Options{Dir: s.Workspace, ConfigDir: s.Config,
		URL: server.Start(t), Servers: true, Prompt: "Go.", ExtraEnv: []string{workspace.StateVariable + "=" + s.State}})
	if _, missing := os.Stat(mark); err != nil || missing == nil {
		t.Errorf("%v; started: %v", err, missing == nil)
	}
	if body := string(server.Log()[0].Body); !strings.Contains(body, `"mcp__ctxledger__read_artifact"`) {
		t.Error("the agent does not have our tool")
	}
}

// TestARealAgentWorksWithSmallerRequests: a task of forty calls ends with the same files whether its requests are sent as they
// are, measured, or made smaller; between two steps each request begins as the one before; and what a stub stands for is read
// back by the agent.
func TestARealAgentWorksWithSmallerRequests(t *testing.T) {
	for _, w := range workers {
		t.Run(w.name, func(t *testing.T) { worksWithSmallerRequests(t, w) })
	}
}

func worksWithSmallerRequests(t *testing.T, w worker) {
	ctx, cancel := context.WithTimeout(t.Context(), 8*patience)
	defer cancel()
	observed := w.runChore(ctx, t, "with", false)
	none := observed // of most agents: nothing is changed in what they send
	if w.name == model.Claude {
		none = w.runChore(ctx, t, "", false)
	}
	reduced := w.runChore(ctx, t, "with --reduce", true)
	for name, got := range map[string]labour{"observe": observed, "reduce": reduced} {
		if fmt.Sprint(got.files) != fmt.Sprint(none.files) {
			t.Errorf("%s: the files are %v, without it %v", name, got.files, none.files)
		}
	}
	last := reduced.log[len(reduced.log)-1]
	if got := strings.Join(last.Results, ""); !someLines.MatchString(got) {
		t.Errorf("the agent reads back %.500q", got)
	}
	api := open(t, reduced.s)
	use, all := measured(ctx, t, api, reduced.session)
	steps, kept, whole := 0, 0, 0
	for i, q := range all[1:] {
		if q.Reduced != nil {
			whole += len(q.Reduced.Whole)
		}
		if q.Reduced != nil && q.Reduced.Step {
			steps++
		} else if begins(t, w.format, reduced.log[i].Body, reduced.log[i+1].Body) {
			kept++
		}
	}
	if use.Missed > 0 || steps+kept < len(all)-2 { // a machine can be too busy for the proxy that takes over
		t.Errorf("%+v: %d steps and %d that begin as the one before, of %d", use, steps, kept, len(all))
	}
	if reduced.bytes() > none.bytes()*2/3 {
		t.Errorf("%d bytes were sent instead of %d", reduced.bytes(), none.bytes())
	}
	t.Logf("bytes sent: none %d, observe %d, reduce %d; %d requests, %d steps, %d results whole "+
		"because their stubs came too late; %s", none.bytes(), observed.bytes(), reduced.bytes(),
		len(all), steps, whole, use.Words())
}

// begins reports whether the messages of a request begin those of the next one, but for where the agent marks the cache.
func begins(t *testing.T, f transcript.Format, before, now []byte) bool {
	t.Helper()
	a, err := transcript.Split(f, before)
	b, wrong := transcript.Split(f, now)
	if err != nil || wrong != nil {
		t.Fatal(err, wrong)
	}
	for i := range a {
		if i >= len(b) || !transcript.SameValue(f, a[i], b[i]) {
			return false
		}
	}
	return true
}
