package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
)

// TestARealAgentSendsTheKeptMessagesAsBefore resumes sessions, and what ctxledger wrote of them, with the real Claude Code.
// The first request has the kept messages as that of the old session has them: what the agent loaded, none of its reports of
// failed requests, mixed messages. What is not the same is counted.
func TestARealAgentSendsTheKeptMessagesAsBefore(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	for _, c := range []struct {
		file, keep string
		same       int // blocks that have to be the same, at least
	}{
		{"../../agents/testdata/kinds.jsonl", "99", 40},
		{"../../agents/testdata/kinds.jsonl", "6", 30},
		{"../../testdata/sessions/compacted.jsonl", "99", 8},
		{recording, "2", 100},
	} {
		t.Run(filepath.Base(c.file)+" "+c.keep, func(t *testing.T) {
			s := newBox(t)
			ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
			defer cancel()
			id, file := moved(t, c.file, s.Workspace, filepath.Join(s.Config, "projects"))
			var w struct {
				ID   string
				Left struct{ Reasoning, Shortened int }
			}
			answer(ctx, t, s, &w, "--json", "resume", file, "--in", "claude-code", "--dir", s.Workspace, "--keep", c.keep)
			before, after := firstBlocks(ctx, t, s, id), firstBlocks(ctx, t, s, w.ID)
			record := slices.IndexFunc(after, func(b string) bool { return strings.Contains(b, "ctxledger_record") })
			if record != 0 || len(after) < c.same {
				t.Fatalf("the document is block %d of %d:\n%.3000s", record, len(after), strings.Join(after, "\n"))
			}
			missing, added := difference(before[max(0, len(before)-len(after)-w.Left.Reasoning+1):], after[1:])
			reasoning := len(missing)
			missing = slices.DeleteFunc(missing, func(b string) bool { return strings.Contains(b, `"type":"thinking"`) })
			reasoning -= len(missing)
			if reasoning != w.Left.Reasoning || len(missing) != w.Left.Shortened || len(added) != w.Left.Shortened {
				t.Errorf("left is %+v; missing are %d parts of reasoning and\n%s\nadded are\n%s", w.Left, reasoning,
					strings.Join(missing, "\n"), strings.Join(added, "\n"))
			}
		})
	}
}

// TestWhatARealAgentWouldSendBehindACallIsCounted: behind a call without a result the real Claude Code sends what it put there
// itself, but neither the call nor a result without one.
func TestWhatARealAgentWouldSendBehindACallIsCounted(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	id, file := moved(t, "../../agents/testdata/inflight.jsonl", s.Workspace, filepath.Join(s.Config, "projects"))
	var w struct {
		ID   string
		Left struct{ Results, Loaded int }
	}
	answer(ctx, t, s, &w, "--json", "continue", file, "--in", "claude-code", "--dir", s.Workspace)
	before := strings.Join(firstBlocks(ctx, t, s, id), "\n")
	after := strings.Join(firstBlocks(ctx, t, s, w.ID), "\n")
	for _, c := range []struct {
		word         string
		before, left int
	}{{"M03 ", 0, w.Left.Results}, {"M06 ", 1, w.Left.Loaded}, {"M04 ", 1, 0}} {
		if b, a := strings.Count(before, c.word), strings.Count(after, c.word); b != c.before || a+c.left != 1 {
			t.Errorf("%s is %d times in the first request and %d times in the new one; left is %+v", c.word, b, a, w.Left)
		}
	}
}

// firstBlocks resumes a session, and returns the blocks of the first request. Those that say how things stand are left
// out: the agent makes them anew.
func firstBlocks(ctx context.Context, t *testing.T, s *sandbox.Sandbox, session string) []string {
	t.Helper()
	server := model.New(model.Script{model.Say("Yes.")}, nil)
	model.Run(ctx, t, model.Options{Dir: s.Workspace, ConfigDir: s.Config, URL: server.Start(t), Resume: session,
		Prompt: "Are you there?"})
	log := server.Log()
	first := slices.IndexFunc(log, func(x model.Exchange) bool { return x.Step == 0 })
	return slices.DeleteFunc(blocksOf(t, log[first].Body), func(b string) bool {
		return strings.Contains(b, "# Environment") || strings.Contains(b, "Attribution for git commits")
	})
}

// difference returns what of two lists is not in the other one. The results of one message may be in any order.
func difference(before, after []string) (missing, added []string) {
	count := map[string]int{}
	for _, b := range before {
		count[b]++
	}
	for _, b := range after {
		if count[b]--; count[b] < 0 {
			added = append(added, b)
		}
	}
	for _, b := range before {
		if count[b]--; count[b] >= 0 {
			missing = append(missing, b)
		}
	}
	return missing, added
}

// moved copies a session file to where the agent keeps sessions of a directory, as one of that directory.
func moved(t *testing.T, file, dir, projects string) (id, path string) {
	t.Helper()
	// A conversation of a few lines is smaller than any record of it.
	text := strings.Replace(contentOf(t, file), "The list has one line.", "The list has one line."+strings.Repeat(" It is long.", 1_000), 1)
	member := func(name string) string {
		return regexp.MustCompile(`"` + name + `":"([^"]*)"`).FindStringSubmatch(text)[1]
	}
	id = member("sessionId")
	text = strings.ReplaceAll(text, `"cwd":"`+member("cwd")+`"`, `"cwd":"`+dir+`"`)
	path = filepath.Join(projects, regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(dir, "-"), id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return id, path
}

// blocksOf returns the blocks of the messages of a request, each with who says it, without marks of what is cached.
func blocksOf(t *testing.T, body []byte) (out []string) {
	t.Helper()
	var request struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatal(err)
	}
	for _, m := range request.Messages {
		var blocks []map[string]json.RawMessage
		if json.Unmarshal(m.Content, &blocks) != nil {
			blocks = []map[string]json.RawMessage{{"type": json.RawMessage(`"text"`), "text": m.Content}}
		}
		for _, b := range blocks {
			delete(b, "cache_control")
			block, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, m.Role+" "+strings.ReplaceAll(string(block), `\n"}`, `"}`)) // it joins texts by line feeds
		}
	}
	return slices.Clip(out)
}
