package taint

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"
)

// host is the id of the planted session.
const host = "05758ff7-b05d-45d5-a684-2d87d43ae644"

// began is when the session began.
var began = time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC)

// writer writes a session file as Claude Code does.
type writer struct {
	b      strings.Builder
	parent string
	n      int
	cwd    string
}

// time is that of the newest line.
func (w *writer) time() time.Time { return began.Add(time.Duration(w.n) * time.Second) }

// add writes a line with what all lines have, where it says nothing else.
func (w *writer) add(line map[string]any) {
	w.n++
	id := fmt.Sprintf("00000000-0000-4000-8000-%012d", w.n)
	all := map[string]any{
		"parentUuid": w.parent, "isSidechain": false, "uuid": id, "sessionId": host, "cwd": w.cwd,
		"gitBranch": "main", "version": "2.1.328", "timestamp": w.time().Format(time.RFC3339Nano),
	}
	maps.Copy(all, line)
	raw, _ := json.Marshal(all)
	w.parent = id
	w.b.Write(append(raw, '\n'))
}

func (w *writer) user(content any) {
	w.add(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": content}})
}

func (w *writer) assistant(id, model, branch string, content ...any) {
	w.add(map[string]any{"type": "assistant", "gitBranch": branch, "message": map[string]any{
		"role": "assistant", "id": id, "model": model, "content": content,
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 5},
	}})
}

const model = "claude-opus-4-5"

func (w *writer) call(tool string, input map[string]any, result string, failed bool) {
	id := fmt.Sprintf("toolu_%06d", w.n)
	w.assistant("msg_"+id, model, "main", map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input})
	w.user([]any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": result, "is_error": failed}})
}

// last ends a session with words that no secret is in.
func (w *writer) last(model string) {
	w.user("And now the last thing: say what is left to do.")
	w.assistant("msg_last", model, "main", map[string]any{"type": "text", "text": "Nothing is left."})
}

// numberedLines numbers lines as `cat -n` does.
func numberedLines(text string) string {
	numbered := ""
	for n, l := range strings.Split(text, "\n") {
		numbered += fmt.Sprintf("%6d\t%s\n", n+1, l)
	}
	return numbered
}

// session writes a session with each canary in every field that holds words.
func session(root string, list []canary) *writer {
	last := nameable(list)
	w := &writer{cwd: filepath.Join(root, last)}
	for i, c := range list {
		w.user(c.text)
		w.assistant(fmt.Sprintf("msg_%d", i), model, c.text,
			map[string]any{"type": "thinking", "thinking": c.text, "signature": "x"},
			map[string]any{"type": "text", "text": "I decided to keep " + c.text + "\nas it is, because it works."})
		w.calls(root, c, i)
		if i%5 == 0 {
			w.others(c)
		}
		if i%10 == 0 {
			w.rare(root, c, last, i)
		}
	}
	w.last(last)
	return w
}

// calls are those of tools that the ledger knows.
func (w *writer) calls(root string, c canary, i int) {
	config := filepath.Join(root, "notes/config.txt")
	w.call("Bash", map[string]any{"command": "printf '%s\\n' '" + c.text + "' > notes/config.txt",
		"description": c.text}, strings.Repeat("ok\n", i%3)+c.text, i%2 == 0)
	w.call("Write", map[string]any{"file_path": config, "content": "# " + c.text + "\n"}, "File created", false)
	w.call("Edit", map[string]any{"file_path": config, "old_string": c.text, "new_string": "x " + c.text},
		c.text, false)
	w.call("Read", map[string]any{"file_path": filepath.Join(root, fmt.Sprintf("notes/%d.txt", i))},
		numberedLines(c.text), false)
	w.call("Grep", map[string]any{"pattern": c.text, "path": root}, c.text+": match", false)
}

// rare are what few canaries are enough for: long results, and names, which another secret is where this one cannot be.
func (w *writer) rare(root string, c canary, other string, i int) {
	n := name(c)
	if n == noName {
		n = other
	}
	w.call("Write", map[string]any{"file_path": filepath.Join(root, "notes", n+".txt"), "content": "x"},
		"File created", false)
	w.call("mcp__x__"+n, map[string]any{n: c.text},
		"the needle is "+c.text+strings.Repeat("\nfiller of a long result", 2_000)+"\n"+c.text, false)
	w.call("Task", map[string]any{"subagent_type": n, "description": c.text, "prompt": c.text}, c.text, false)
	w.assistant(fmt.Sprintf("msg_of_a_model_%d", i), n, "main",
		map[string]any{"type": "text", "text": "As another model."})
}

// records are lines outside the conversation, and members of lines. TEXT is replaced by a secret, NAME by one that
// can be a name.
var records = []string{
	`{"type":"summary","summary":"TEXT","leafUuid":"x"}`,
	`{"type":"custom-title","customTitle":"TEXT"}`,
	`{"type":"ai-title","aiTitle":"TEXT"}`,
	`{"type":"last-prompt","lastPrompt":"TEXT"}`,
	`{"type":"NAME","NAME":"TEXT"}`,
	`{"type":"queue-operation","operation":"enqueue","content":"TEXT"}`,
	`{"type":"system","subtype":"NAME","content":"TEXT","slug":"NAME"}`,
	`{"type":"system","subtype":"local_command","content":"<command-name>TEXT</command-name>"}`,
	`{"type":"attachment","attachment":{"type":"hook_success","hookName":"NAME","content":"TEXT"}}`,
	`{"type":"attachment","attachment":{"type":"NAME","content":"TEXT"},"rendered":[{"content":"TEXT"}]}`,
	`{"type":"progress","data":{"type":"agent_progress","agentId":"NAME","prompt":"TEXT","message":{"type":"user",` +
		`"uuid":"p","message":{"role":"user","content":"TEXT"}}}}`,
	`{"type":"user","isMeta":true,"message":{"role":"user","content":"TEXT"}}`,
	`{"type":"user","isSidechain":true,"agentName":"NAME","message":{"role":"user","content":"TEXT"}}`,
	`{"type":"assistant","isSidechain":true,"agentId":"NAME","message":{"role":"assistant","id":"NAME",` +
		`"model":"NAME","content":[{"type":"text","text":"TEXT"}]}}`,
	`{"type":"user","slug":"NAME","cwd":"/home/NAME","version":"NAME","message":{"role":"user",` +
		`"content":[{"type":"text","text":"TEXT"}]}}`,
	`{"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"NAME","preTokens":1040,` +
		`"userContext":"TEXT"},"logicalParentUuid":"x"}`,
	`{"type":"user","isCompactSummary":true,"message":{"role":"user",` +
		`"content":"This session is being continued. The conversation is summarized below:\nTEXT"}}`,
	`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"NAME",` +
		`"content":[{"type":"text","text":"TEXT"}]}]},"toolUseResult":{"type":"create","filePath":"/home/NAME/TEXT",` +
		`"content":"TEXT","stdout":"TEXT"},"mcpMeta":{"NAME":"TEXT"}}`,
}

// others writes all kinds of lines.
func (w *writer) others(c canary) {
	for _, r := range records {
		line := map[string]any{}
		if err := json.Unmarshal([]byte(fill(r, c, w.n)), &line); err != nil {
			panic(err) // of a table
		}
		w.add(line)
	}
}

// fill puts a canary into JSON: TEXT inside a string, TWICE inside a string of JSON in a string, NAME as a name, and ID
// as what joins a call and its result.
func fill(form string, c canary, id int) string {
	once := inJSON(c.text)
	return strings.NewReplacer("TEXT", once, "TWICE", inJSON(once), "NAME", name(c), "ID",
		fmt.Sprintf("call_%d", id)).Replace(form)
}

// inJSON returns a text as a string of JSON has it, without quotes.
func inJSON(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw[1 : len(raw)-1])
}

// noName replaces a canary that cannot be a name.
const noName = "tool"

// nameable returns a canary that can be a name.
func nameable(list []canary) string {
	for _, c := range list {
		if n := name(c); n != noName {
			return n
		}
	}
	return noName
}

// name makes a name of a canary, where that can be one.
func name(c canary) string {
	if len(c.text) > 100 || strings.ContainsFunc(c.text, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) {
		return noName
	}
	return c.text
}
