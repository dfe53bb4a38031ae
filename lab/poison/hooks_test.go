//go:build linux

package poison_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/hook"
	"ctxledger.dev/config"
	"ctxledger.dev/lab/poison"
	"ctxledger.dev/lab/wayback"
	"ctxledger.dev/ledger"
)

// fences are the tags around what hooks put into a context.
var fences = []string{"agent_memory", "ctxledger_index", "ctxledger_handoff", "ctxledger_record"}

// TestHooksPutDataIntoAContext has hooks answer every event in scenes with hostile texts everywhere: in memories, in the
// session that is summarized, in skills and documents, in names of files that others changed, in calls and results.
func TestHooksPutDataIntoAContext(t *testing.T) {
	texts, err := poison.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	texts = slices.DeleteFunc(texts, func(x poison.Text) bool { return x.Line < *from || x.Line > *to })
	// the host's id of the session is what events name: a hostile one is none (package agents/claudecode/hooks); and a
	// session elsewhere reads other files than those that change here
	at := slices.DeleteFunc(slices.Clone(places), func(p place) bool {
		return p.name == "session id of the host" || p.name == "working directory"
	})
	scenes := scenesOf(texts)
	said := map[string]int{} // how often an event's answer had something in it
	for n, some := range scenes {
		t.Run(fmt.Sprintf("%s and %d others", some[0].Name(), len(some)-1), func(t *testing.T) {
			s := newScene(t, some, []form{inline, lines}[n%2], at)
			s.plantIndex(some)
			s.hooks(func(exit, out string, checks ...check) {
				said[exit]++
				for _, tag := range fences {
					if strings.Contains(out, "<"+tag+">\n") {
						said[tag]++
					}
				}
				for _, c := range checks {
					if err := c(out); err != nil {
						t.Errorf("%s: %v\n%.3000s", exit, err, out)
					}
				}
			})
			s.close()
		})
	}
	t.Logf("%d texts, %d scenes: %v", len(texts), len(scenes), said)
	for _, exit := range append([]string{"startup", "resume", "compact", "summary", "stale", "marker", "result",
		"repeated", "record", "lost", "given"}, fences...) {
		if said[exit] < len(scenes)/4 {
			t.Errorf("%s was there %d times in %d scenes", exit, said[exit], len(scenes))
		}
	}
}

// plantIndex plants texts where skills, documents and notes have names and descriptions.
func (s *scene) plantIndex(texts []poison.Text) {
	s.t.Helper()
	s.write("ctxledger.yaml", "context: {mode: intent}\nindex:\n  skills: [skills]\n  references: [docs]\n  "+
		"memories: [notes]\n"+declared)
	s.write(".gitignore", planted(texts[0].Value, s.form)+"\n")
	index := "# Memory Index\n\n"
	for i, text := range texts {
		value := s.cut(planted(text.Value, s.form), 150) // so that several fit
		name := fmt.Sprintf("x%d", i)
		s.write("skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: "+string(encoded(value))+"\nlicense: "+
			string(encoded(value))+"\n---\n")
		s.write("skills/named"+name+"/SKILL.md", "---\nname: "+string(encoded(value))+"\ndescription: d\nallowed-tools: ["+
			string(encoded(value))+"]\n---\n")
		s.write("docs/"+name+".md", "# "+value+"\n")
		s.write("notes/"+name+".md", value)
		index += "- [" + value + "](" + name + ".md) — " + value + "\n"
		hostile := strings.NewReplacer("/", "_", "\x00", "_").Replace(s.cut(value, 100))
		_ = os.WriteFile(filepath.Join(s.root, "docs", hostile+".md"), []byte("# x"), 0o600) // a name that may be none
	}
	s.write("notes/MEMORY.md", index)
}

func (s *scene) write(name, content string) {
	s.t.Helper()
	path := filepath.Join(s.root, filepath.FromSlash(name))
	s.do(os.MkdirAll(filepath.Dir(path), 0o700))
	s.do(os.WriteFile(path, []byte(content), 0o600))
}

// hooks has every event answered.
func (s *scene) hooks(look looker) {
	value := planted(s.text.Value, s.form)
	start := func(source string) { s.looked(source, look, "SessionStart", map[string]any{"source": source}) }
	start("startup")
	s.looked("given", look, "SubagentStart", map[string]any{"agent_id": "a1", "agent_type": "tester"})
	s.changeWhatWasRead()
	start("resume")
	s.looked("stale", look, "PreToolUse", map[string]any{"tool_name": "Edit", "tool_use_id": "toolu_e",
		"tool_input": map[string]any{"file_path": s.script.read, "old_string": "a", "new_string": "b"}})
	s.looked("marker", look, "PreToolUse", map[string]any{"tool_name": "Write", "tool_use_id": "toolu_w",
		"tool_input": map[string]any{"file_path": filepath.Join(s.root, "x"), "content": value +
			"\n[cleared: read_file(a.go) — 100 chars, ~25 tokens; run the tool again]"}})
	for _, exit := range []string{"result", "repeated"} {
		s.looked(exit, look, "PostToolUse", map[string]any{"tool_name": "mcp__" + s.cut(value, 200),
			"tool_use_id": s.cut("toolu "+exit+value, 100), "tool_input": map[string]any{"q": value},
			"tool_response": strings.Repeat(s.cut(value, 2_000)+"\n", 45_000/(len(s.cut(value, 2_000))+1)+1)})
	}
	s.looked("summary", look, "PreCompact", map[string]any{"trigger": "auto"})
	start("compact")
	s.looked("record", look, "UserPromptSubmit", map[string]any{"prompt": value}) // no summary was handed on
	s.looked("", look, "PostCompact", map[string]any{"trigger": "auto", "compact_summary": value})
	s.looked("lost", look, "PreToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "toolu_l",
		"tool_input": map[string]any{"command": "make"}})
	s.looked("", look, "SessionEnd", map[string]any{"reason": value})
}

// changeWhatWasRead has another session change the file that the session read.
func (s *scene) changeWhatWasRead() {
	s.t.Helper()
	other := harmless(s.root)
	other.hostID, other.changed, other.at = "another", s.script.read, now.Add(time.Hour)
	// its records are not those of the first one, copied
	raw := bytes.ReplaceAll(other.file(), []byte("-4000-8000-"), []byte("-4000-9000-"))
	file := filepath.Join(s.t.TempDir(), "another.jsonl")
	s.do(os.WriteFile(file, raw, 0o600))
	_, err := agents.Import(s.t.Context(), s.api, agents.Source{Path: file}, nil)
	s.do(err)
}

// looked has an event answered and looks at what the model reads of the answer. exit "": nothing is printed.
func (s *scene) looked(exit string, look looker, event string, fields map[string]any) {
	s.t.Helper()
	file, err := wayback.Make(s.env.Home, wayback.Server)
	s.do(err)
	for name, value := range map[string]any{"session_id": s.script.hostID, "cwd": s.root, "hook_event_name": event,
		"transcript_path": file} {
		fields[name] = value
	}
	open := func(context.Context) (ledger.API, error) { return s.api, nil }
	settings, _ := config.Load(s.env, s.root, "")
	o := hook.Options{Env: s.env, Root: s.root, Open: open, Index: settings.Index,
		Given: settings.Given, Server: wayback.Server}
	a, err := hook.Run(s.t.Context(), o, event, encoded(fields))
	s.do(err)
	s.do(a.After(s.t.Context(), true))
	out := a.Out
	if len(out) == 0 {
		return
	}
	if exit == "" {
		s.t.Errorf("%s prints %.300q", event, out)
		return
	}
	text := string(out)
	if event != "PreCompact" {
		var said struct {
			Specific struct {
				Context string `json:"additionalContext"`
				Reason  string `json:"permissionDecisionReason"`
				Output  string `json:"updatedToolOutput"`
			} `json:"hookSpecificOutput"`
		}
		s.do(json.Unmarshal(out, &said))
		text = said.Specific.Context + said.Specific.Reason + said.Specific.Output
	}
	checks := []check{visible, poison.Framed}
	if event == "SubagentStart" {
		checks = checks[:1] // see declared
	}
	for _, tag := range fences {
		if strings.Contains(text, "\n<"+tag+">\n") {
			checks = append(checks, func(out string) error { return poison.Tagged(out, tag) })
		}
	}
	for _, tag := range fences[2:] { // documents
		_, inner, begins := strings.Cut(text, "\n<"+tag+">\n")
		if inner, _, ends := strings.Cut(inner, "\n</"+tag+">"); begins && ends {
			checks = append(checks, func(string) error { return poison.Document(inner + "\n") })
		}
	}
	look(exit, text, checks...)
}
