package scriptedmodel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Options say how to run the agent on one prompt. Dir, ConfigDir, URL and Prompt are required.
type Options struct {
	Dir       string   // the working directory, the agent's project
	ConfigDir string   // CLAUDE_CONFIG_DIR; its parent is the agent's HOME
	URL       string   // the model server, without a path
	Prompt    string   // what the user asks
	Resume    string   // the session to continue, or "" for a new one
	Plugin    string   // the folder of a plugin, with its hooks and servers, or ""
	Servers   bool     // start the MCP servers that its configuration names
	ExtraEnv  []string // more variables, as "NAME=value"; they win over the isolated ones
	ExtraArgs []string // more arguments of the agent
}

// Result is what the agent reported at the end of a headless run.
type Result struct {
	SessionID string `json:"session_id"`
	Text      string `json:"result"` // the last answer
	IsError   bool   `json:"is_error"`
	Turns     int    `json:"num_turns"` // answers of the model

	Raw json.RawMessage `json:"-"` // the whole report
}

// shutdownDelay is how long a cancelled agent may take to leave before it is killed.
const shutdownDelay = 5 * time.Second

// Run lets the installed agent work on one prompt and fails the test if it does not come to an
// end. It skips the test where no agent is installed.
func Run(ctx context.Context, t testing.TB, o Options) Result {
	t.Helper()
	result, err := Exec(ctx, Agent(t, Claude), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Exec runs the agent at path on one prompt, headless and isolated: it gets no variable of this
// process, an empty standard input and a temporary directory of its own, and may use its shell and
// file tools without asking. It finds programs in the usual directories and in /usr/local/go/bin;
// ExtraEnv may set another PATH. Compaction happens on request only. The error holds what the
// agent printed if it fails or reports nothing readable.
func Exec(ctx context.Context, path string, o Options) (Result, error) {
	temp, err := os.MkdirTemp("", "agent-")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(temp)
	cmd := o.command(ctx, path, temp, "-p", o.Prompt, "--output-format", "json")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := cmd.Run()
	result := Result{Raw: stdout.Bytes()}
	if err := json.Unmarshal(result.Raw, &result); err != nil || runErr != nil || result.IsError {
		return result, fmt.Errorf("agent %s: %v; it printed %q and %q", filepath.Base(path), runErr,
			clip(stdout.Bytes()), clip(stderr.Bytes()))
	}
	return result, nil
}

// command returns the agent's command with some arguments of its own.
func (o Options) command(ctx context.Context, path, temp string, args ...string) *exec.Cmd {
	args = append(args, "--permission-mode", "acceptEdits", "--allowedTools", "Bash,Read,Edit,Write,Glob,Grep")
	switch {
	case o.Plugin != "":
		args = append(args, "--plugin-dir", o.Plugin)
	case !o.Servers:
		args = append(args, "--strict-mcp-config") // hides the servers of plugins, too
	}
	if o.Resume != "" {
		args = append(args, "--resume", o.Resume)
	}
	cmd := exec.CommandContext(ctx, path, append(args, o.ExtraArgs...)...)
	cmd.Dir = o.Dir
	cmd.Env = append(isolated(o, temp), o.ExtraEnv...)
	cmd.WaitDelay = shutdownDelay
	return cmd
}

// Talk is Run with several prompts, one after the other in one run of the agent: each when the answer to the one before
// is there. The prompt of the options is not one of them.
func Talk(ctx context.Context, t testing.TB, o Options, prompts ...string) (last Result) {
	t.Helper()
	cmd := o.command(ctx, Agent(t, Claude), t.TempDir(), "-p", "--verbose", "--input-format", "stream-json",
		"--output-format", "stream-json")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	out, wrong := cmd.StdoutPipe()
	if err = errors.Join(err, wrong); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(out)
	for _, prompt := range prompts {
		if err == nil {
			err = json.NewEncoder(in).Encode(map[string]any{"type": "user",
				"message": map[string]any{"role": "user", "content": prompt}})
		}
		for last.Raw = nil; err == nil && last.Raw == nil; {
			var raw json.RawMessage
			var line struct{ Type string }
			if err = lines.Decode(&raw); err == nil && json.Unmarshal(raw, &line) == nil && line.Type == "result" {
				err, last.Raw = json.Unmarshal(raw, &last), raw
			}
		}
		if err == nil && last.IsError {
			err = errors.New("it answered with an error")
		}
	}
	if err = errors.Join(err, in.Close(), cmd.Wait()); err != nil {
		t.Fatalf("agent: %v; its last report is %.500q, and it printed %q", err, last.Raw, clip(stderr.Bytes()))
	}
	return last
}

// isolated returns the environment of an agent that keeps to itself.
func isolated(o Options, temp string) []string {
	home := filepath.Dir(o.ConfigDir)
	return []string{
		"PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin",
		"HOME=" + home,
		"TMPDIR=" + temp,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"XDG_DATA_HOME=" + filepath.Join(home, ".local", "share"),
		"XDG_STATE_HOME=" + filepath.Join(home, ".local", "state"),
		"XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
		"TERM=dumb", "LANG=C.UTF-8",
		"CLAUDE_CONFIG_DIR=" + o.ConfigDir,
		"ANTHROPIC_BASE_URL=" + o.URL, "ANTHROPIC_API_KEY=dummy", "ANTHROPIC_MODEL=scripted",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
		"DISABLE_AUTO_COMPACT=1", "ENABLE_TOOL_SEARCH=false",
		"NO_PROXY=127.0.0.1,localhost",
	}
}

// clipped is how much of the agent's output an error quotes, in bytes.
const clipped = 2000

// clip returns the end of p, where programs say what went wrong.
func clip(p []byte) []byte {
	if len(p) > clipped {
		return p[len(p)-clipped:]
	}
	return p
}
