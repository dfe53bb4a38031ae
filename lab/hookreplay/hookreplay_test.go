package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// line is a record of a session file.
func line(t *testing.T, kind string, message, response any, more map[string]any) string {
	t.Helper()
	record := map[string]any{"type": kind, "sessionId": "5f1e0f7a-1111-4222-8333-444455556666", "cwd": "/shop",
		"version": "2.1.0", "message": message, "timestamp": "2026-01-02T03:04:05Z"}
	if response != nil {
		record["toolUseResult"] = response
	}
	for k, v := range more {
		record[k] = v
	}
	raw, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// visit is a session that reads a file of a length and makes one more call.
func visit(t *testing.T, lines int, tool string, args map[string]any) agents.Recording {
	t.Helper()
	content := strings.Repeat("nothing of interest is in this line\n", lines) + "func theOneThatMatters() {\n" +
		strings.Repeat("nothing of interest is in this line\n", lines)
	usage := map[string]any{"input_tokens": 10, "cache_read_input_tokens": 150_000, "cache_creation_input_tokens": 500,
		"output_tokens": 50}
	call := func(id, tool string, args any) any {
		return map[string]any{"id": "msg_" + id, "role": "assistant", "model": "claude-opus-4-5", "usage": usage,
			"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": args}}}
	}
	result := func(id, text string) any {
		return map[string]any{"role": "user",
			"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text}}}
	}
	file := map[string]any{"filePath": "/shop/a.go", "content": content, "numLines": 2*lines + 1, "startLine": 1,
		"totalLines": 2*lines + 1}
	all := []string{
		line(t, "user", map[string]any{"role": "user", "content": "look at it"}, nil, map[string]any{"uuid": "1"}),
		line(t, "assistant", call("toolu_1", "Read", map[string]any{"file_path": "/shop/a.go"}), nil,
			map[string]any{"uuid": "2", "parentUuid": "1"}),
		line(t, "user", result("toolu_1", content), map[string]any{"type": "text", "file": file},
			map[string]any{"uuid": "3", "parentUuid": "2"}),
		line(t, "assistant", call("toolu_2", tool, args), nil, map[string]any{"uuid": "4", "parentUuid": "3"}),
		line(t, "user", result("toolu_2", "ok"), nil, map[string]any{"uuid": "5", "parentUuid": "4"}),
		line(t, "assistant", call("toolu_3", "Bash", map[string]any{"command": "true"}), nil,
			map[string]any{"uuid": "6", "parentUuid": "5"}),
	}
	path := filepath.Join(t.TempDir(), "5f1e0f7a-1111-4222-8333-444455556666.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(all, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // opened for reading
	r, err := agents.Read(f, path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWhatOnlyTheCutPartHasIsNeeded: a later call that names what was cut is one of need, and is charged; one that names
// what the model saw, or something new, is not.
func TestWhatOnlyTheCutPartHasIsNeeded(t *testing.T) {
	usual := ledger.ResultLimits{Above: limits.OffloadChars}
	for _, c := range []struct {
		name  string
		lines int
		tool  string
		args  map[string]any
		needs int
		cut   int
	}{
		{"an edit of a line in the middle", 2_000, "Edit", map[string]any{"file_path": "/shop/a.go",
			"old_string": "func theOneThatMatters() {", "new_string": "func other() {"}, 1, 1},
		{"an edit of a line that was shown", 2_000, "Edit", map[string]any{"file_path": "/shop/a.go",
			"old_string": "nothing of interest is in this line", "new_string": "theOneThatMatters"}, 0, 1},
		{"a search for a name in the middle", 2_000, "Grep", map[string]any{"pattern": "theOneThatMatters"}, 1, 1},
		{"a search for something else", 2_000, "Grep", map[string]any{"pattern": "somethingElse"}, 0, 1},
		{"a result of usual length", 100, "Grep", map[string]any{"pattern": "theOneThatMatters"}, 0, 0},
	} {
		track := newTrack(visit(t, c.lines, c.tool, c.args))
		got, err := track.play(t.Context(), &program{}, configuration{"reads", config.Hooks{Reads: true}, usual})
		if err != nil {
			t.Fatal(err)
		}
		if got.needs != c.needs || got.cut != c.cut || got.requests != 3 {
			t.Errorf("%s: %d cut, %d of need, %d requests", c.name, got.cut, got.needs, got.requests)
		}
		if (got.readBack > 0) != (c.needs > 0) || (got.less > 0) != (c.cut > 0) || got.cut == 0 && got.spent != 0 {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestWhatIsAddedIsCharged: written into the cache once, then read from it, at list prices.
func TestWhatIsAddedIsCharged(t *testing.T) {
	track := newTrack(visit(t, 10, "Bash", map[string]any{"command": "true"}))
	got, err := track.play(t.Context(), &program{}, configuration{"environment", config.Hooks{Environment: true},
		ledger.ResultLimits{}})
	if err != nil {
		t.Fatal(err)
	}
	x := ratesOf("claude-opus-4-5")
	want := float64(got.injectedTokens) * x.factor * (x.write + 2*x.read)
	if got.injected != 1 || got.spent < want*0.999 || got.spent > want*1.001 || got.less >= 0 {
		t.Errorf("%+v, want $%f", got, want)
	}
}

// TestAnEditNamesWhatItReplaces and what it writes is its own.
func TestAnEditNamesWhatItReplaces(t *testing.T) {
	args := json.RawMessage(`{"file_path":"/a/b.go","old_string":"oldName(1234)","new_string":"newName()"}`)
	w := wants(partOf(transcript.Part{Kind: transcript.KindCall, Name: "Edit", Args: args}))
	all := strings.Join(w.words, " ")
	if !strings.Contains(all, "oldName") || !strings.Contains(all, "1234") || strings.Contains(all, "newName") ||
		w.lines[0] != "oldName(1234)" {
		t.Errorf("%q %q", w.words, w.lines)
	}
}

// TestTheHooksThatAreReplayedAreAnswered: those of Claude Code, whose requests carry our tools.
func TestTheHooksThatAreReplayedAreAnswered(t *testing.T) {
	if a := registry.Of(replayed); a.Hooks == nil || a.Client.Tokens == 0 {
		t.Errorf("%+v", a)
	}
}
