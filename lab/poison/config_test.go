//go:build linux

package poison_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/cli"
	"ctxledger.dev/internal/terminaltest"
	"ctxledger.dev/lab/poison"
)

// A setting is a configuration of a repository with the text in the place of HOSTILE, quoted as YAML has it, or in that
// of RAW, as it is. Behind "/", "=" and "}} " it is the rest of a quoted text.
type setting struct{ name, yaml string }

// hostileSettings are the configurations that take a text. A new setting that takes one gets a row.
var hostileSettings = []setting{
	{"file", "RAW"},
	{"bare value", "follow: RAW"},
	{"bare key", "RAW: 1"},
	{"key", "HOSTILE: 1"},
	{"key of a setting", "context: {HOSTILE: 1}\nmodels: {x: {HOSTILE: 1}}\nagents: [{name: x, HOSTILE: 1}]"},
	{"switch", "follow: HOSTILE"},
	{"number", "ledger_warn_mb: HOSTILE"},
	{"list", "corrections: HOSTILE"},
	{"corrections", "corrections: [HOSTILE]"},
	{"index", "index: {skills: [HOSTILE], references: HOSTILE}"},
	{"mode", "context: {mode: HOSTILE}"},
	{"tools", "context: {clear: {exclude: [HOSTILE]}, exclude_agents: [HOSTILE], read_only_tools: [HOSTILE]}"},
	{"tool with a bound", "context: {tool_result_char_overrides: {HOSTILE: x}}"},
	{"agent", "agents: [{name: HOSTILE, context_window: {mode: HOSTILE}}]"},
	{"agents of one name", "agents: [{name: HOSTILE}, {name: HOSTILE}]"},
	{"model", "models: {HOSTILE: {window: 1000}}"},
	{"models of one name", "models: {HOSTILE: {window: 1000}, HOSTILE: {window: 1000}}"},
	{"encoding", "models: {HOSTILE: {encoding: HOSTILE}}"},
	{"family", "models: {HOSTILE: {family: HOSTILE}}"},
	{"family and encoding", "models: {HOSTILE: {family: gpt, encoding: HOSTILE}}"},
	{"ranks", "models: {x: {family: llama3, ranks: HOSTILE}}"},
	{"kind", "summarizer: {kind: HOSTILE}"},
	{"address", "summarizer: {kind: openai, url: HOSTILE, model: x}"},
	{"host", "summarizer: {kind: openai, url: \"https://HOSTILE, model: x, key_env: X}"},
	{"path of an address", "summarizer: {kind: openai, url: \"https://a.example/HOSTILE, model: HOSTILE, key_env: X}"},
	{"variable", "summarizer: {kind: openai, url: https://a.example/, model: HOSTILE, key_env: HOSTILE}"},
	{"sections and template", "summarizer: {kind: openai, url: https://a.example/, model: x, key_env: X, sections: " +
		"HOSTILE, template: \"{{$history}} HOSTILE}"},
	{"program", "summarizer: {kind: command, command: [HOSTILE, HOSTILE]}"},
	{"path of a program", "summarizer: {kind: command, command: [\"./HOSTILE]}"},
	{"arguments", "summarizer: {kind: command, command: [/bin/true, HOSTILE, \"--x=HOSTILE]}"},
	{"program for a key", "summarizer: {kind: openai, url: https://a.example/, model: x, key_command: [/bin/true, " +
		"HOSTILE]}"},
}

// file returns the configuration with a text in it.
func (c setting) file(text string) string {
	quoted := inYAML(text)
	return strings.NewReplacer("/HOSTILE", "/"+quoted[1:], "=HOSTILE", "="+quoted[1:], "}} HOSTILE", "}} "+quoted[1:],
		"HOSTILE", quoted, "RAW", text).Replace(c.yaml) + "\n"
}

// inYAML quotes a text as YAML has it: everything but letters and digits is escaped.
func inYAML(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return `"` + b.String() + `"`
}

// configurations plants the text in the configuration of the repository, and looks at the commands that speak of it.
func configurations(s *scene, look looker) {
	file := filepath.Join(s.root, "ctxledger.yaml")
	before, err := os.ReadFile(file)
	s.do(err)
	for _, c := range hostileSettings {
		name := "configuration, " + c.name + ", "
		s.do(os.WriteFile(file, []byte(c.file(planted(s.text.Value, s.form))), 0o600))
		out, errs := s.onTerminal([]string{"status"})
		look(name+"status", out, shown, poison.Framed)
		look(name+"messages of status", errs, shown, reported, bounded)
		out, errs = s.onTerminal([]string{"count", "--model", "x", "ctxledger.yaml"})
		look(name+"count", out, shown, poison.Framed)
		look(name+"messages of count", errs, shown, reported, bounded)
		question, answered := s.asked("yes")
		look(name+"the question", question, shown, bounded, ours(questionLines))
		look(name+"what was confirmed", answered, shown, bounded, ours(confirmedLines))
	}
	out, errs := s.onTerminal([]string{"config", "trust", "--list"})
	look("trust --list", out, shown, bounded, ours(confirmedLines))
	look("trust --list, messages", errs, shown, reported)
	s.do(os.WriteFile(file, before, 0o600))
}

// asked runs trust at a terminal at which a person answers the question. It returns what the terminal shows, and the
// answer of the command.
func (s *scene) asked(said string) (shown, answer string) {
	s.t.Helper()
	person, program := terminaltest.Open(s.t)
	defer person.Close()  // a terminal
	defer program.Close() // a terminal
	var out bytes.Buffer
	e := s.env
	e.Dir, e.Home = s.root, s.state+"-home"
	screen := terminaltest.Answer(s.t, person, program, "in this tree, until it changes: ", said+"\n")
	cli.Main(s.t.Context(), cli.Config{Args: []string{"--workspace", s.root, "trust"}, Env: e, Version: "test",
		In: program, Out: &out, Err: program})
	return screen(), out.String()
}

// The lines of ours when a person is asked: what stored text there is in them is quoted, or has no space.
var (
	row           = `  (?:file|tree|runs|  argument|  file|connects to|sends|model|prompt|gives it|) +\S.*`
	questionLines = regexp.MustCompile(`^(?:|ctxledger\.yaml:\d+ asks for something that needs your consent:|` + row +
		`|Type yes to allow exactly this, in this tree, until it changes: .*|ctxledger: .*|  hint: .*)$`)
	confirmedLines = regexp.MustCompile(
		`^(?:|confirmed, until it changes:|confirmed [\d: T-]+:|nothing was confirmed|` +
			`nothing asks for your consent here: no model that writes summaries is configured|` + row + `)$`)
)

// ours returns a check that every line is one of ours, and none of them twice that is there once.
func ours(form *regexp.Regexp) check {
	return func(out string) error {
		labels := map[string]int{}
		for line := range strings.SplitSeq(out, "\n") {
			if !form.MatchString(line) {
				return fmt.Errorf("a line that is not ours: %.200q", line)
			}
			if strings.Contains(line, " asks for something that needs your consent:") {
				labels["question"]++
			}
		}
		if labels["question"] > 1 {
			return fmt.Errorf("there are %d questions", labels["question"])
		}
		return nil
	}
}

// bounded says whether a line is longer than what a person reads: a setting of 2,000 bytes, with every byte escaped.
func bounded(out string) error {
	const most = 16 << 10
	for line := range strings.SplitSeq(out, "\n") {
		if len(line) > most {
			return fmt.Errorf("a line of %d bytes: %.100q", len(line), line)
		}
	}
	return nil
}

// TestAConfigurationThatIsTooLong: messages about a setting are bounded, however long that is.
func TestAConfigurationThatIsTooLong(t *testing.T) {
	s := newScene(t, []poison.Text{{Class: "long", Value: strings.Repeat("x\u202e y\n", 2_000)}}, inline, nil)
	s.close()
	configurations(s, func(exit, out string, checks ...check) {
		t.Helper()
		for _, c := range checks {
			if err := c(out); err != nil {
				t.Errorf("%s: %v", exit, err)
			}
		}
	})
}
