package ctxmcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ctxledger.dev/lab/programtest"
)

// dumps writes a value as Python's json.dumps(v, sort_keys=True) does: sorted keys, spaces, and no character but ASCII.
func dumps(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteString(", ")
			}
			dumps(b, name)
			b.WriteString(": ")
			dumps(b, v[name])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			dumps(b, e)
		}
		b.WriteByte(']')
	case string:
		b.WriteString(strconv.QuoteToASCII(v)) // of these texts: as in JSON
	default:
		fmt.Fprint(b, v)
	}
}

// TestAClientThatWritesTheViewAnewKeepsOneSession: a client parses the view that compact_conversation returns, adds to it and
// sends it back as Python writes it, three times. That made four sessions, whose results were cleared again; then their
// handles read the placeholder.
func TestAClientThatWritesTheViewAnewKeepsOneSession(t *testing.T) {
	p := start(t, programtest.NewPlace(t).Command(t, binary, "--in-process"))
	texts := map[string]string{}
	round := func(id string) []any {
		texts[id] = strings.Repeat("eine Zeile — é, "+id+"\n", 3_000)
		return []any{
			map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Read",
				"input": map[string]any{"file_path": id + ".txt", "limit": 10}}}},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id,
				"content": texts[id]}}},
			map[string]any{"role": "assistant", "content": "read — " + id},
		}
	}
	conversation := []any{map[string]any{"role": "user", "content": "read them — all"}}
	for i := range 6 {
		conversation = append(conversation, round(fmt.Sprint("c", i))...)
	}
	var session, last string
	for i := range 4 {
		var b bytes.Buffer
		dumps(&b, conversation)
		id := strconv.Itoa(i + 1)
		p.send(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"compact_conversation","arguments":`+
			`{"format":"anthropic","return":"messages","keep_turns":1,"messages":`+b.String()+`}}}`)
		var r struct {
			Session  string `json:"session"`
			Messages []any  `json:"messages"`
		}
		last = p.answer(t, id).text(t)
		if err := json.Unmarshal([]byte(last), &r); err != nil || len(r.Messages) == 0 {
			t.Fatalf("%v in %.1000s", err, last)
		}
		if session == "" {
			session = r.Session
		}
		if r.Session != session {
			t.Errorf("call %d: session %s, not %s", i, r.Session, session)
		}
		conversation = append(r.Messages, map[string]any{"role": "user", "content": "and — on"})
		conversation = append(conversation, round(fmt.Sprint("later", i))...)
	}
	handles := map[string]string{} // of the results that the summary or a stub names
	for _, m := range regexp.MustCompile(`([0-9a-f]{12})  Read path=(\w+)`).FindAllStringSubmatch(last, -1) {
		handles[m[2]] = m[1]
	}
	for _, m := range regexp.MustCompile(`path=(\w+)\.txt\\nArtifact: ([0-9a-f]{12})`).FindAllStringSubmatch(last, -1) {
		handles[m[1]] = m[2]
	}
	if delete(texts, "later3"); len(handles) != len(texts) { // it came after the last call
		t.Errorf("%d of %d handles in %s", len(handles), len(texts), last)
	}
	for id, handle := range handles {
		p.send(t, call(`"`+id+`"`, "read_artifact", map[string]any{"id": handle, "bytes": "0-1000"}))
		if text := p.answer(t, `"`+id+`"`).text(t); !strings.Contains(text, texts[id][:900]) {
			t.Errorf("handle %s of %s reads %.300q", handle, id, text)
		}
	}
	p.end(t)
}
