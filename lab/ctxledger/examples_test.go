//go:build unix

package ctxledger

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/cli"
)

// needs are the examples that a person alone can finish, or that need what the place of the examples has not, with what they
// say instead.
var needs = map[string]string{
	"ctxledger install":                                    "no terminal to confirm on",
	"ctxledger install codex --project":                    "no terminal to confirm on",
	"ctxledger memory accept 0123456789ab --name branches": "0123456789ab",
	"ctxledger memory dismiss 0123456789ab":                "0123456789ab",
	"ctxledger config validate orchestration.yaml --json":  "cannot be used",
	"ctxledger with -- claude --continue":                  " not found",
	"ctxledger with --reduce -- claude":                    " not found",
	"ctxledger token revoke 1a2b3c4d":                      "there is no token",
}

// endless are the commands that run until they are ended, with how a shell does that once they have answered.
var endless = map[string]string{
	"proxy": "EXAMPLE >served & p=$!; until grep -q ] served; do :; done; kill $p; wait $p; cat served",
}

// TestEveryExampleRuns in a place that has what examples name, and its answer as JSON has the fields that the command says.
func TestEveryExampleRuns(t *testing.T) {
	x := newExamples(t)
	all := cli.Commands()[1:] // the first is the program without a command, whose examples are those of others
	last := []string{"forget", "uninstall", "ledger adopt", "daemon stop", "daemon"}
	slices.SortStableFunc(all, func(a, b cli.Command) int {
		return slices.Index(last, a.Name) - slices.Index(last, b.Name)
	})
	for _, c := range all {
		for i, line := range strings.Split(c.Example, "\n") {
			asJSON := i == 0 && len(c.JSON) > 0 && strings.HasPrefix(line, "ctxledger ") &&
				!strings.ContainsAny(line, ">|") && !strings.Contains(line, "--messages")
			run := line
			if asJSON {
				run = strings.Replace(line, "ctxledger ", "ctxledger --json ", 1)
			}
			if ends := endless[c.Name]; ends != "" {
				run = strings.Replace(ends, "EXAMPLE", run, 1)
			}
			out, said, err := x.sh(run)
			want, fails := needs[line]
			switch {
			case fails && (err == nil || !strings.Contains(said, want)), !fails && err != nil:
				t.Errorf("%s: %v: %s", run, err, said)
			case fails || !asJSON:
			case !slices.ContainsFunc(c.JSON, func(v any) bool { return is(out, v) == nil }):
				t.Errorf("%s answers something else than the command says: %v, %.300s", run, is(out, c.JSON[0]), out)
			}
		}
	}
}

// is returns an error if JSON has other fields than a value's type.
func is(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(reflect.New(reflect.TypeOf(v)).Interface())
}

// examples are a place that has what the examples of commands name.
type examples struct {
	*matrix
	ids *strings.Replacer
}

func newExamples(t *testing.T) examples {
	t.Helper()
	m := newHome(t)
	recorded, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	m.file("shop/.git/HEAD", "ref: refs/heads/main\n")
	m.file("shop/session.jsonl", strings.ReplaceAll(string(recorded), "/home/dev/shop", filepath.Join(m.home, "shop")))
	for name, text := range map[string]string{
		"README.md": "# Shop\nok 1\nok 2\nFAIL 3\n", "docs/guide.md": "words\n", "internal/store/store.go": "package store\n",
		"ctxledger.yaml": "agents: [{name: Tester, context: [{source: execution_state}]}]\n" +
			"selection: {state_machine: {states: {build: {agent: Developer, transitions: [{to: test, handoff_context: " +
			"[{source: execution_state}]}]}, test: {agent: Tester}}}}\n",
		"orchestration.yaml": "context: [\n", "tests.txt": "Use go test.", "secret.txt": "a secret that nothing holds",
		"workflow.md": "# Plan {id=plan}\n\nFind the totals.\n\n# Facts\n\nCents.\n\n# Ask {id=ask}\n\n" +
			"@llm\nblock: [plan, facts]\nprompt: What differs?\n\n# Then\n\n@llm\nblock: plan\nprompt: And now?\n",
		"event.json": "{}", "memory/MEMORY.md": "- [style](style.md) — how we write\n",
		"memory/style.md": "---\nname: style\ndescription: how we write\n---\nshort\n",
		"error.json":      `{"error":{"type":"invalid_request_error","message":"prompt is too long: 9000 tokens > 6000 maximum"}}`,
		"chat.json":       `[{"role":"user","content":"go"},{"role":"assistant","content":"done"},{"role":"user","content":"on"}]`,
	} {
		m.file("shop/"+name, text)
	}
	m.file("shop/CLAUDE.md", "# Rules\n")
	m.file(".claude/settings.json", "{}\n")
	m.file(".claude/projects/-elsewhere/05758ff7-b05d-45d5-a684-2d87d43ae644.jsonl", string(recorded))
	m.file(".codex/config.toml", "")
	session := strings.TrimSpace(lastLine(m.run("shop", "ctxledger", "import", "session.jsonl")))
	handle := strings.TrimSpace(string(m.run("shop", "ctxledger", "artifact", "save", "README.md")))
	m.run("shop", "ctxledger", "memory", "save", "deploy", "--body", "from main")
	said := m.all("shop", "", "ctxledger", "compact", "--keep", "3", session)
	summary := regexp.MustCompile(`summary ([0-9a-f]{12})`).FindStringSubmatch(said)
	if summary == nil {
		t.Fatalf("nothing was compacted: %s", said)
	}
	return examples{m, strings.NewReplacer("ab03de2c", session, "3f9c1b2a7d4e", summary[1], "a3f9c20b1d7e", handle)}
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// sh runs a command line in the place.
func (x examples) sh(line string) (out []byte, said string, err error) {
	var answer, errs bytes.Buffer
	cmd := exec.Command("sh", "-c", x.ids.Replace(line))
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = filepath.Join(x.home, "shop"), x.vars, &answer, &errs
	err = cmd.Run()
	return answer.Bytes(), errs.String(), err
}

// TestAShellCompletesWhatTheLedgerHas: sessions, summaries, handles and memories, each where the help names one.
func TestAShellCompletesWhatTheLedgerHas(t *testing.T) {
	x := newExamples(t)
	for line, want := range map[string]string{
		"status": "ab03de2c\tclaude-code ", "resume": "ab03de2c\t", "changes --session": "ab03de2c\t", "compact": "ab03de2c\t",
		"restore": "3f9c1b2a7d4e\tturns ", "artifact read": "a3f9c20b1d7e\t", "forget": "a3f9c20b1d7e\t",
		"memory get": "deploy\n", "forget --memory": "deploy\n", "count": ":0\n", "ledger gc": ":4\n",
	} {
		out, said, err := x.sh("ctxledger __complete " + line + " ''")
		if want = x.ids.Replace(want); err != nil || !strings.Contains("\n"+string(out), "\n"+want) {
			t.Errorf("%s: %v, %q and %q, want %q", line, err, out, said, want)
		}
	}
}
