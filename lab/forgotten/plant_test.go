package forgotten

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// transcript writes a Claude Code session file.
type transcript struct {
	host   string
	cwd    string
	branch string
	began  time.Time
	b      strings.Builder
	parent string
	n      int
}

// add writes a line with what all lines have.
func (w *transcript) add(line map[string]any) {
	w.n++
	id := fmt.Sprintf("%s%012d", w.host[:24], w.n)
	all := map[string]any{
		"parentUuid": w.parent, "isSidechain": false, "uuid": id, "sessionId": w.host, "cwd": w.cwd,
		"gitBranch": w.branch, "version": "2.1.328",
		"timestamp": w.began.Add(time.Duration(w.n) * time.Second).Format(time.RFC3339Nano),
	}
	maps.Copy(all, line)
	raw, _ := json.Marshal(all) // of strings and maps
	w.parent = id
	w.b.Write(append(raw, '\n'))
}

func (w *transcript) user(content any) {
	w.add(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": content}})
}

func (w *transcript) says(content ...any) {
	w.add(map[string]any{"type": "assistant", "message": map[string]any{
		"role": "assistant", "id": fmt.Sprint("msg_", w.n), "model": "claude-opus-4-5", "content": content,
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 5}}})
}

func (w *transcript) call(tool string, input map[string]any, result string) {
	id := fmt.Sprintf("toolu_%s%06d", w.host[:6], w.n)
	w.says(map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input})
	w.user([]any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": result}})
}

// canaries writes a session that has a word in every field, each with a suffix that names the field.
func (w *transcript) canaries(word string) {
	long := strings.Repeat("a line of a long result\n", 2500)
	w.user(word + "prompt: do it")
	w.says(map[string]any{"type": "thinking", "thinking": word + "thought", "signature": "x"},
		map[string]any{"type": "text", "text": "I decided to keep " + word + "text, because it works."})
	w.call("Bash", map[string]any{"command": "echo " + word + "command", "description": word + "why"}, word+"output")
	w.call("Bash", map[string]any{"command": "cat " + word + "long"}, long+word+"longoutput\n"+long)
	file := filepath.Join(w.cwd, "notes", word+"file.txt")
	w.call("Write", map[string]any{"file_path": file, "content": word + "content"}, "File created")
	w.call("Edit", map[string]any{"file_path": file, "old_string": word + "old", "new_string": word + "new"}, "Edited")
	w.call("Read", map[string]any{"file_path": file}, word+"read")
	w.call("Grep", map[string]any{"pattern": word + "pattern", "path": w.cwd}, word+": match")
	w.call("mcp__x__"+word+"tool", map[string]any{word + "key": word + "value"}, word+"answer\n"+long)
	w.call("Task", map[string]any{"subagent_type": word + "agent", "description": word + "task", "prompt": word}, word)
	w.add(map[string]any{"type": "system", "subtype": "local_command", "content": word + "system"})
	w.add(map[string]any{"type": "summary", "summary": word + "summary", "leafUuid": w.parent})
	w.user(strings.Repeat(word+"huge ", 25_000))
	for i := range 6 {
		w.user(fmt.Sprintf("Step %d of %sstep", i, word))
		w.says(map[string]any{"type": "text", "text": fmt.Sprintf("Step %d of %s is done.", i, word)})
	}
}

// save writes the file to where Claude Code has it, by a rename, as programs rewrite files.
func (w *transcript) save(config string) error {
	slug := strings.Map(func(r rune) rune {
		if r < '0' || '9' < r && r < 'A' || 'Z' < r && r < 'a' || 'z' < r {
			return '-'
		}
		return r
	}, w.cwd)
	dir := filepath.Join(config, "projects", slug)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, w.host+".jsonl")
	if err := os.WriteFile(path+".new", []byte(w.b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
