package agentmatrix

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
)

// host is an agent that starts ctxmcp. Its files are in testdata/home, below its name. In them, in arguments and in
// variables, {{url}} is the model, {{ctxmcp}} the server and {{flags}} its arguments, {{home}} the agent's home, {{state}}
// where ledgers are.
type host struct {
	name      string
	arguments []string // followed by the prompt
	variables []string
	node      bool // it is in JavaScript
	own       bool // it says whose call it is, or its sessions are recorded: context_status finds its session
}

var hosts = []host{
	{name: model.Claude, own: true,
		arguments: []string{"--mcp-config", "{{home}}/mcp.json", "--strict-mcp-config", "--allowedTools", "Bash",
			"mcp__ctxledger", "--output-format", "json", "-p"},
		variables: []string{"CLAUDE_CONFIG_DIR={{home}}/.claude", "ANTHROPIC_BASE_URL={{url}}", "ANTHROPIC_API_KEY=dummy",
			"ANTHROPIC_MODEL=scripted", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
			"DISABLE_TELEMETRY=1", "DISABLE_AUTO_COMPACT=1", "ENABLE_TOOL_SEARCH=false"}},
	{name: "codex", node: true, own: true,
		arguments: []string{"exec", "--json", "--skip-git-repo-check"},
		variables: []string{"MODEL_KEY=dummy", "CODEX_HOME={{home}}/.codex"}},
	{name: "gemini", node: true,
		arguments: []string{"-m", "gemini-2.5-flash", "--output-format", "json", "--approval-mode", "yolo", "-p"},
		variables: []string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL={{url}}", "GEMINI_CLI_TRUST_WORKSPACE=true"}},
	{name: "opencode",
		arguments: []string{"run", "--format", "json"},
		variables: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"}},
	{name: "pi", node: true,
		arguments: []string{"--provider", "scripted", "--model", "scripted", "-e", "{{home}}/bridge.ts", "--mode", "json",
			"-p"},
		variables: []string{"PI_OFFLINE=1"}},
}

// install copies the files of an agent to its home, filled in.
func (h host) install(t *testing.T, s *sandbox.Sandbox, vars model.Vars) {
	t.Helper()
	from := os.DirFS(filepath.Join("testdata", "home", h.name))
	err := fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
		to := filepath.Join(s.Home, filepath.FromSlash(path))
		if err != nil || d.IsDir() {
			return errorOr(err, func() error { return os.MkdirAll(to, 0o700) })
		}
		raw, err := fs.ReadFile(from, path)
		return errorOr(err, func() error { return os.WriteFile(to, []byte(fill(vars, string(raw))), 0o600) })
	})
	if err != nil {
		t.Fatal(err)
	}
}

func errorOr(err error, do func() error) error {
	if err != nil {
		return err
	}
	return do()
}

// fill replaces the placeholders in a text.
func fill(vars model.Vars, s string) string {
	for name, value := range vars {
		s = strings.ReplaceAll(s, "{{"+name+"}}", value)
	}
	return s
}
