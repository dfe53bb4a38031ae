package sessionfile

import (
	"os"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	const claude = `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"x"},"uuid":"u","sessionId":"s"}`
	for _, c := range []struct {
		name, file, head string
		want             Agent
	}{
		{"claude code", "s.jsonl", claude + "\n", ClaudeCode},
		{"claude code, first line cut off", "s.jsonl", claude[:70], ClaudeCode},
		{"claude code, cut off inside the message", "s.jsonl",
			`{"type":"user","uuid":"u","message":{"role":"user","content":"xxx`, ClaudeCode},
		{"claude code, queue first", "s.jsonl", `{"type":"queue-operation","sessionId":"s"}` + "\n", ClaudeCode},
		{"claude code, titles only", "s.jsonl", `{"type":"summary","summary":"x","leafUuid":"u"}` + "\n", ClaudeCode},
		{"claude code, file history first", "s.jsonl",
			`{"type":"file-history-snapshot","messageId":"m","snapshot":{}}` + "\n", ClaudeCode},
		{"claude code after a damaged line", "s.jsonl", "\x00\x00{\n" + claude, ClaudeCode},
		{"claude code with a byte order mark", "s.jsonl", "\xef\xbb\xbf" + claude, ClaudeCode},
		{"codex", "rollout-x.jsonl", `{"timestamp":"t","type":"session_meta","payload":{"id":"x","cwd":"/w"}}` + "\n",
			Codex},
		{"codex of 2025", "x.jsonl", `{"id":"x","timestamp":"t","instructions":"xxx`, Codex},
		{"codex of 2025, without its first line", "rollout-x.jsonl", "xx\n" +
			`{"type":"message","id":null,"role":"user","content":[]}` + "\n", Codex},
		{"an item of a conversation", "x.jsonl", `{"type":"message","role":"user","content":[]}` + "\n", Text},
		{"codex, cut off", "rollout-x.jsonl", `{"timestamp":"t","type":"session_meta","payload":{"id":"x","base_instr`,
			Codex},
		{"gemini header", "session-x.jsonl",
			`{"sessionId":"s","projectHash":"h","startTime":"t","lastUpdated":"t","kind":"main"}` + "\n", Gemini},
		{"gemini message", "session-x.jsonl", `{"id":"i","type":"gemini","content":"","tokens":{}}` + "\n", Gemini},
		{"qwen", "s.jsonl",
			`{"uuid":"u","parentUuid":null,"sessionId":"s","type":"system","subtype":"ui_telemetry"}` + "\n" +
				`{"uuid":"u","sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"x"}]}}` + "\n",
			Qwen},
		{"pi", "s.jsonl", `{"type":"session","version":3,"id":"i","timestamp":"t","cwd":"/w"}` + "\n", Pi},
		{"opencode", "/d/opencode.db", "SQLite format 3\x00\x10\x00", OpenCode},
		{"another database", "/d/x.db", "SQLite format 3\x00\x10\x00", SQLite},
		{"cline", "s.messages.json",
			`{"version":1,"sessionId":"s","messages":[{"id":"m","role":"user","content":[]}],"system_prompt":"x"}`,
			Cline},
		{"cline, pretty and cut off", "s.messages.json",
			"{\n  \"version\": 1,\n  \"sessionId\": \"s\",\n  \"messages\": [\n    {\"id\":", Cline},
		{"text", "x.md", "# Diary\n\nDear diary\n", Text},
		{"text cut inside a letter", "x.md", "Grü"[:3], Text},
		{"some JSON", "x.json", `{"a":1}`, Text},
		{"latin-1", "x.txt", "Gr\xfc\xdfe an alle", Unknown},
		{"binary", "x", "\x7fELF\x02\x01\x00\x00", Unknown},
		{"empty", "x.jsonl", "", Unknown},
		{"white space", "x.jsonl", " \n\n", Unknown},
	} {
		if got := Detect(c.file, []byte(c.head)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDetectTheRecordedSessionHoweverLittleIsSeen(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{200, 1000, HeadLen, len(raw)} {
		if got := Detect("shop.jsonl", raw[:n]); got != ClaudeCode {
			t.Errorf("first %d bytes: %q", n, got)
		}
	}
}

func TestDetectBehindNULBytes(t *testing.T) {
	record := recordsOfAgents[0]
	for _, n := range []int{1, HeadLen - 10, HeadLen, 3*HeadLen + 7} {
		file := strings.NewReader(strings.Repeat("\x00", n) + record)
		if got, err := DetectFile("s.jsonl", file); err != nil || got != ClaudeCode {
			t.Errorf("behind %d bytes: %q, %v", n, got, err)
		}
	}
	got, err := DetectFile("s.jsonl", strings.NewReader(strings.Repeat("\x00", HeadLen)))
	if err != nil || got != Unknown {
		t.Errorf("nothing else: %q, %v", got, err)
	}
}

func TestEveryAgentHasALabel(t *testing.T) {
	seen := map[string]Agent{}
	for _, a := range []Agent{ClaudeCode, Codex, Gemini, Qwen, OpenCode, Cline, Pi, SQLite, Text, Unknown} {
		if old, ok := seen[a.Label()]; ok || a.Label() == "" {
			t.Errorf("%q and %q are both %q", a, old, a.Label())
		}
		seen[a.Label()] = a
	}
}

func FuzzDetectTakesAnyBytes(f *testing.F) {
	f.Add("s.jsonl", []byte(`{"type":"user","message":{"role":[{}],"parts":[[[`))
	f.Add("opencode.db", []byte("SQLite format 3\x00"))
	f.Fuzz(func(t *testing.T, name string, head []byte) {
		got := Detect(name, head)
		longer := Detect(name, append([]byte("\xef\xbb\xbf"), head...))
		if got != longer &&
			!strings.HasPrefix(string(head), sqliteMagic) && !strings.HasPrefix(string(head), "\xef\xbb\xbf") &&
			len(head) < HeadLen-3 {
			t.Errorf("%q, with a byte order mark %q", got, longer)
		}
	})
}
