package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
)

// chain writes the file of a session of Claude Code whose records name the ones that they follow.
type chain struct {
	t    *testing.T
	root string
	text strings.Builder
	at   time.Time
}

// add adds a record with a message that follows another record, and returns its id.
func (c *chain) add(parent, kind string, message map[string]any) (id string) {
	c.t.Helper()
	c.at = c.at.Add(time.Second)
	id = fmt.Sprintf("00000000-0000-4000-8000-%012d", strings.Count(c.text.String(), "\n")+1)
	record := map[string]any{"type": kind, "message": message, "uuid": id, "parentUuid": parent,
		"timestamp": c.at.UTC().Format("2006-01-02T15:04:05.000Z"), "sessionId": sandbox.HostSession, "cwd": c.root,
		"version": "2.1.328", "isSidechain": false}
	if parent == "" {
		record["parentUuid"] = nil
	}
	raw, err := json.Marshal(record)
	if err != nil {
		c.t.Fatal(err)
	}
	c.text.Write(append(raw, '\n'))
	return id
}

// ask adds a request of the user.
func (c *chain) ask(parent, words string) string {
	return c.add(parent, "user", map[string]any{"role": "user", "content": words})
}

// answer adds an answer of the model, for a request of so many tokens.
func (c *chain) answer(parent string, input int, part map[string]any) string {
	return c.add(parent, "assistant", map[string]any{"id": "msg_" + parent, "type": "message", "role": "assistant",
		"model": askedModel, "content": []any{part}, "usage": map[string]any{"input_tokens": input, "output_tokens": 5}})
}

// read adds a read of a file and its result.
func (c *chain) read(parent, name string, input int, failed bool) string {
	c.t.Helper()
	id, content := "toolu_"+parent, texts[name]
	if failed {
		content = "Permission to read has been denied."
	}
	call := c.answer(parent, input, map[string]any{"type": "tool_use", "id": id, "name": "Read",
		"input": map[string]any{"file_path": filepath.Join(c.root, name)}})
	return c.add(call, "user", map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed}}})
}

// TestWhatTheUserWentBackFromIsInNoWindow: what a session of Claude Code read on a branch that its user has left since was
// said to be in its window, by the lens, as a finding and in the tools.
func TestWhatTheUserWentBackFromIsInNoWindow(t *testing.T) {
	s := newBox(t)
	for name, text := range texts {
		path := filepath.Join(s.Workspace, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
	}
	c := &chain{t: t, root: s.Workspace, at: time.Now().Add(-time.Minute)}
	kept := c.read(c.ask("", "Read the notes."), "notes.txt", 20_000, false)
	hello := c.answer(kept, 21_000, map[string]any{"type": "text", "text": "Read."})
	left := c.read(c.read(c.ask(hello, "Read the rest."), "order/order.go", 22_000, false), "notes.txt", 38_000, false)
	c.answer(left, 39_000, map[string]any{"type": "text", "text": "Read as well."})
	again := c.ask(hello, "Rather not.")
	c.answer(c.read(again, "docs/guide.md", 34_000, true), 34_000, map[string]any{"type": "text", "text": "All right."})
	project := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(s.Workspace)
	dir := filepath.Join(s.Config, "projects", project)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, sandbox.HostSession+".jsonl"), c.text.String())
	run(t, s, "status")
	w := &witness{t: t, box: s, editor: edit(t, s), mcp: connect(t, s, s.Workspace, "agent")}
	if lens := w.lens("order/order.go"); !strings.HasSuffix(lens.Title, "not in its window now") {
		t.Errorf("the lens says %q: %q", lens.Title, lens.Tooltip)
	}
	if lens := w.lens("notes.txt"); !strings.Contains(lens.Tooltip, "read twice by the followed session") ||
		!strings.Contains(lens.Tooltip, "of them still in its window") {
		t.Errorf("the lens says %q: %q", lens.Title, lens.Tooltip)
	}
	why := string(run(t, s, "why", "order/order.go"))
	if !strings.Contains(why, "of the window, which no longer has it") {
		t.Errorf("why says %s", why)
	}
	if why = string(run(t, s, "why", "notes.txt")); strings.Count(why, "no longer has it") != 1 {
		t.Errorf("why says %s", why)
	}
	refused := string(run(t, s, "why", "docs/guide.md"))
	page := string(run(t, s, "status", w.context().Session))
	if !strings.Contains(refused, "read   failed, ") || strings.Contains(page, "docs/guide.md") {
		t.Errorf("of a read that was refused why says %s\nand status %s", refused, page)
	}
	if audit := string(run(t, s, "audit", s.Config)); strings.Contains(audit, "guide.md") {
		t.Errorf("an audit counts a read that was refused: %s", audit)
	}
	for _, src := range w.context().Sources {
		if src.Kind == ledger.SourceFile && src.Name == "order/order.go" {
			t.Errorf("the panel has %+v", src)
		}
	}
	write(t, filepath.Join(s.Workspace, "order", "order.go"), "package order\n")
	write(t, filepath.Join(s.Workspace, "notes.txt"), "Nothing.\n")
	if _, err := w.editor.Until(deadlined(t), func([]scriptededitor.Message) bool {
		return strings.Contains(w.lens("notes.txt").Tooltip, "\nchanged since")
	}); err != nil {
		t.Fatalf("the lens does not say that the notes have changed: %v", err)
	}
	var answer struct{ Stale []struct{ Path string } }
	if _, err := w.mcp.Call(deadlined(t), "changes", map[string]any{"session": w.context().Session}, &answer); err != nil ||
		len(answer.Stale) != 1 || answer.Stale[0].Path != "notes.txt" {
		t.Errorf("out of date are %+v (%v)", answer.Stale, err)
	}
	stale := string(run(t, s, "changes", "--session", w.context().Session))
	if strings.Contains(stale, "stale: order") || !strings.Contains(stale, "stale: notes.txt") {
		t.Errorf("changes says %s", stale)
	}
}
