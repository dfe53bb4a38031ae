package scriptedmodel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// runDeadline is generous: an agent starts in half a second and a step takes a few milliseconds.
const runDeadline = 2 * time.Minute

// box is a place where an agent works in a test.
type box struct {
	ctx         context.Context
	dir, config string
}

// newBox skips the test where no agent is installed.
func newBox(t *testing.T) box {
	t.Helper()
	Agent(t, Claude)
	ctx, cancel := context.WithTimeout(t.Context(), runDeadline)
	t.Cleanup(cancel)
	top := t.TempDir()
	b := box{ctx: ctx, dir: filepath.Join(top, "work"), config: filepath.Join(top, "home", ".claude")}
	for _, d := range []string{b.dir, b.config} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// run lets the agent work on a prompt and returns its report.
func (b box) run(t *testing.T, url, prompt, resume string) Result {
	t.Helper()
	return Run(b.ctx, t, Options{Dir: b.dir, ConfigDir: b.config, URL: url, Prompt: prompt, Resume: resume})
}

// lines returns the session's file, line by line, from the folder named after the project.
func (b box) lines(t *testing.T, session string) []line {
	t.Helper()
	dir, err := filepath.EvalSymlinks(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	slug := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, dir)
	data, err := os.ReadFile(filepath.Join(b.config, "projects", slug, session+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []line
	scanner := bufio.NewScanner(bytes.NewReader(data))
	scanner.Buffer(nil, len(data)+1)
	for scanner.Scan() {
		var l line
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

// line is what the tests read of a line of a session file.
type line struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Summary bool   `json:"isCompactSummary"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// toolNames returns the names of the tool calls in lines, in order.
func toolNames(lines []line) []string {
	var names []string
	for _, l := range lines {
		var blocks []block
		if l.Type != "assistant" || json.Unmarshal(l.Message.Content, &blocks) != nil {
			continue
		}
		for _, b := range blocks {
			if b.Type == "tool_use" {
				names = append(names, b.Name)
			}
		}
	}
	return names
}

// noteScript writes and reads a note, and then answers a second prompt.
var noteScript = Script{
	Do("I write the note.", Call{"Write", map[string]any{"file_path": "{{dir}}/note.txt", "content": "grüße 你好\n"}}),
	Do("", Call{"Bash", map[string]any{"command": "cat note.txt"}},
		Call{"Read", map[string]any{"file_path": "{{dir}}/note.txt"}}),
	Say("The note is written."),
	Say("It still is."),
}

func TestTheRealAgentFollowsTheScriptAndRecordsIt(t *testing.T) {
	b := newBox(t)
	server := New(noteScript, Vars{"dir": b.dir})
	url := server.Start(t)
	result := b.run(t, url, "Write a note.", "")
	if result.Text != "The note is written." || result.IsError {
		t.Errorf("result = %+v", result)
	}
	if got, want := toolNames(b.lines(t, result.SessionID)), []string{"Write", "Bash",
		"Read"}; !slices.Equal(got, want) {
		t.Errorf("recorded tool calls = %q, want %q", got, want)
	}
	if data, err := os.ReadFile(filepath.Join(b.dir, "note.txt")); string(data) != "grüße 你好\n" {
		t.Errorf("note = %q, %v", data, err)
	}
	log := server.Log()
	if last := log[len(log)-1]; last.Session != result.SessionID || !bytes.Contains(last.Body, []byte("你好")) {
		t.Errorf("the last request, of session %q, does not hold the results", last.Session)
	}
}

func TestACompactionOfTheRealAgentUsesNoStepAndAResumedSessionGoesOn(t *testing.T) {
	b := newBox(t)
	url := New(noteScript, Vars{"dir": b.dir}).Start(t)
	session := b.run(t, url, "Write a note.", "").SessionID
	b.run(t, url, "/compact", session)
	lines := b.lines(t, session)
	if !slices.ContainsFunc(lines, func(l line) bool { return l.Subtype == "compact_boundary" }) ||
		!slices.ContainsFunc(lines, func(l line) bool { return l.Summary }) {
		t.Error("no compaction in the session file")
	}
	result := b.run(t, url, "Is it still there?", session)
	if result.Text != "It still is." || result.SessionID != session {
		t.Errorf("after the compaction: %+v; want the next step in session %s", result, session)
	}
}
