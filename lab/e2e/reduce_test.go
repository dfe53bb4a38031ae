package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/transcript"
	"ctxledger.dev/workspace"
)

// killing kills the processes of ours that work with the state of a test, but for the MCP server, which no agent starts again.
const killing = `for p in /proc/[0-9]*; do if grep -qsF '{{state}}' $p/environ && grep -qsaE 'behin[d]|ctxledger-?daemo[n]' ` +
	`$p/cmdline; then kill -9 ${p#/proc/}; fi; done; true`

// chore is a task of some forty calls: it reads large files, one of them again and again, changes some, and runs commands.
// handle, if there is one, is read back before the end.
func chore(handle string) model.Script {
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
	if handle != "" {
		script = append(script, call("read_artifact", map[string]any{"id": handle, "lines": "900-910"}))
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
	session string
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

// runChore has Claude Code do the chore, started by a command of ours; "": by none.
func runChore(ctx context.Context, t *testing.T, command, handle string) labour {
	t.Helper()
	program := model.Agent(t, model.Claude)
	s := newBox(t)
	furnish(t, s.Workspace)
	if command != "" {
		program = started(t, s, command, program)
	}
	server := model.New(chore(handle), model.Vars{"dir": s.Workspace, "state": s.State})
	result, err := model.Exec(ctx, program, model.Options{Dir: s.Workspace, ConfigDir: s.Config, URL: server.Start(t),
		Prompt:   "Do the chore.",
		ExtraEnv: []string{workspace.StateVariable + "=" + s.State, "ENABLE_TOOL_SEARCH=true"}})
	if err != nil || !strings.Contains(result.Text, "All done.") {
		t.Fatalf("%s, %v", result.Raw, err)
	}
	return labour{s, result.SessionID, server.Log(), contents(t, s.Workspace)}
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

// firstLarge returns the text of the first result of so many characters that a model got.
func firstLarge(t *testing.T, log []model.Exchange, chars int) string {
	t.Helper()
	for _, x := range log {
		for _, text := range x.Results {
			if len(text) > chars {
				return text
			}
		}
	}
	t.Fatal("no result is large")
	return ""
}

// TestARealAgentWorksWithSmallerRequests: a task of forty calls ends with the same files whether its requests are sent as they
// are, measured, or made smaller; between two steps each request begins as the one before; and what a stub stands for is read
// back by the agent.
func TestARealAgentWorksWithSmallerRequests(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 8*patience)
	defer cancel()
	none := runChore(ctx, t, "", "")
	observed := runChore(ctx, t, "with", "")
	text := firstLarge(t, none.log, 40_000)
	sum := sha256.Sum256([]byte(text))
	reduced := runChore(ctx, t, "with --reduce", hex.EncodeToString(sum[:])[:12])
	for name, w := range map[string]labour{"observe": observed, "reduce": reduced} {
		if fmt.Sprint(w.files) != fmt.Sprint(none.files) {
			t.Errorf("%s: the files are %v, without it %v", name, w.files, none.files)
		}
	}
	last := reduced.log[len(reduced.log)-1]
	if got := strings.Join(last.Results, ""); !strings.Contains(got, "line 905 of file 0") {
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
		} else if begins(t, reduced.log[i].Body, reduced.log[i+1].Body) {
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
func begins(t *testing.T, before, now []byte) bool {
	t.Helper()
	a, err := transcript.Split(transcript.Anthropic, before)
	b, wrong := transcript.Split(transcript.Anthropic, now)
	if err != nil || wrong != nil {
		t.Fatal(err, wrong)
	}
	for i := range a {
		if i >= len(b) || !transcript.SameValue(transcript.Anthropic, a[i], b[i]) {
			return false
		}
	}
	return true
}
