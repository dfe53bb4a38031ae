package taint

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// host is the id of the planted session.
const host = "05758ff7-b05d-45d5-a684-2d87d43ae644"

// writer writes a session file as Claude Code does.
type writer struct {
	b      strings.Builder
	parent string
	n      int
	cwd    string
}

func (w *writer) line(kind, branch string, message map[string]any) {
	w.n++
	id := fmt.Sprintf("00000000-0000-4000-8000-%012d", w.n)
	raw, _ := json.Marshal(map[string]any{
		"parentUuid": w.parent, "isSidechain": false, "type": kind, "message": message, "uuid": id, "sessionId": host, "cwd": w.cwd,
		"gitBranch": branch, "version": "2.1.328", "timestamp": time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC).Add(time.Duration(w.n) * time.Second).Format(time.RFC3339Nano),
	})
	w.parent = id
	w.b.Write(append(raw, '\n'))
}

func (w *writer) user(content any) {
	w.line("user", "main", map[string]any{"role": "user", "content": content})
}

func (w *writer) call(tool string, input map[string]any, result string, failed bool) {
	id := fmt.Sprintf("toolu_%06d", w.n)
	w.line("assistant", "main", map[string]any{"role": "assistant", "id": "msg_" + id, "model": "claude-opus-4-5", "content": []any{
		map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input},
	}, "usage": map[string]any{"input_tokens": 10, "output_tokens": 5}})
	w.user([]any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": result, "is_error": failed}})
}

// numberedLines numbers lines as `cat -n` does.
func numberedLines(text string) string {
	numbered := ""
	for n, l := range strings.Split(text, "\n") {
		numbered += fmt.Sprintf("%6d\t%s\n", n+1, l)
	}
	return numbered
}

// session writes a session in which each canary stands in every field that holds words.
func session(root string, list []canary) *writer {
	w := &writer{cwd: root}
	for i, c := range list {
		w.user(c.text)
		w.line("assistant", c.text, map[string]any{"role": "assistant", "id": fmt.Sprintf("msg_%d", i), "model": "claude-opus-4-5", "content": []any{
			map[string]any{"type": "thinking", "thinking": c.text, "signature": "x"},
			map[string]any{"type": "text", "text": "I decided to keep " + c.text + "\nas it is, because it works."},
		}})
		w.call("Bash", map[string]any{"command": "printf '%s\\n' '" + c.text + "' > notes/config.txt", "description": c.text}, strings.Repeat("ok\n", i%3)+c.text, i%2 == 0)
		w.call("Write", map[string]any{"file_path": filepath.Join(root, "notes/config.txt"), "content": "# " + c.text + "\n"}, "File created", false)
		w.call("Edit", map[string]any{"file_path": filepath.Join(root, "notes/config.txt"), "old_string": c.text, "new_string": "x " + c.text}, c.text, false)
		if i%20 == 0 {
			w.call("Write", map[string]any{"file_path": filepath.Join(root, "notes", name(c)+".txt"), "content": "x"}, "File created", false)
		}
		w.call("Read", map[string]any{"file_path": filepath.Join(root, fmt.Sprintf("notes/%d.txt", i))}, numberedLines(c.text), false)
		w.call("Grep", map[string]any{"pattern": c.text, "path": root}, c.text+": match", false)
		if i%20 == 0 {
			w.call("mcp__x__"+name(c), map[string]any{name(c): c.text}, c.text+strings.Repeat("\nfiller of a long result", 2_000)+"\n"+c.text, false)
		}
	}
	w.user("And now the last thing: say what is left to do.")
	w.line("assistant", "main", map[string]any{"role": "assistant", "id": "msg_last", "model": "claude-opus-4-5", "content": []any{map[string]any{"type": "text", "text": "Nothing is left."}}})
	return w
}

// name makes a tool's name of a canary, where that can be one.
func name(c canary) string {
	if len(c.text) > 100 || strings.ContainsFunc(c.text, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) {
		return "tool"
	}
	return c.text
}
