package registry

import (
	"os"
	"strings"
	"testing"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/sessionfile"
)

func TestDetect(t *testing.T) {
	const claude = `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"x"},"uuid":"u","sessionId":"s"}`
	for _, c := range []struct {
		name, file, head string
		want             string
	}{
		{"claude code", "s.jsonl", claude + "\n", "claude-code"},
		{"claude code, first line cut off", "s.jsonl", claude[:70], "claude-code"},
		{"claude code, cut off inside the message", "s.jsonl",
			`{"type":"user","uuid":"u","message":{"role":"user","content":"xxx`, "claude-code"},
		{"claude code, queue first", "s.jsonl", `{"type":"queue-operation","sessionId":"s"}` + "\n", "claude-code"},
		{"claude code, titles", "s.jsonl", `{"type":"summary","summary":"x","leafUuid":"u"}` + "\n", "claude-code"},
		{"claude code, file history first", "s.jsonl",
			`{"type":"file-history-snapshot","messageId":"m","snapshot":{}}` + "\n", "claude-code"},
		{"claude code after a damaged line", "s.jsonl", "\x00\x00{\n" + claude, "claude-code"},
		{"claude code with a byte order mark", "s.jsonl", "\xef\xbb\xbf" + claude, "claude-code"},
		{"codex", "rollout-x.jsonl", `{"timestamp":"t","type":"session_meta","payload":{"id":"x","cwd":"/w"}}` + "\n",
			"codex"},
		{"codex of 2025", "x.jsonl", `{"id":"x","timestamp":"t","instructions":"xxx`, "codex"},
		{"codex of 2025, without its first line", "rollout-x.jsonl", "xx\n" +
			`{"type":"message","id":null,"role":"user","content":[]}` + "\n", "codex"},
		{"an item of a conversation", "x.jsonl", `{"type":"message","role":"user","content":[]}` + "\n", "text"},
		{"codex, cut off", "rollout-x.jsonl", `{"timestamp":"t","type":"session_meta","payload":{"id":"x","base_instr`,
			"codex"},
		{"gemini header", "session-x.jsonl",
			`{"sessionId":"s","projectHash":"h","startTime":"t","lastUpdated":"t","kind":"main"}` + "\n", "gemini"},
		{"gemini message", "session-x.jsonl", `{"id":"i","type":"gemini","content":"","tokens":{}}` + "\n", "gemini"},
		{"qwen", "s.jsonl",
			`{"uuid":"u","parentUuid":null,"sessionId":"s","type":"system","subtype":"ui_telemetry"}` + "\n" +
				`{"uuid":"u","sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"x"}]}}` + "\n",
			"qwen"},
		{"pi", "s.jsonl", `{"type":"session","version":3,"id":"i","timestamp":"t","cwd":"/w"}` + "\n", "pi"},
		{"opencode", "/d/opencode.db", "SQLite format 3\x00\x10\x00", "opencode"},
		{"another database", "/d/x.db", "SQLite format 3\x00\x10\x00", "an SQLite"},
		{"cline", "s.messages.json",
			`{"version":1,"sessionId":"s","messages":[{"id":"m","role":"user","content":[]}],"system_prompt":"x"}`,
			"cline"},
		{"cline, pretty and cut off", "s.messages.json",
			"{\n  \"version\": 1,\n  \"sessionId\": \"s\",\n  \"messages\": [\n    {\"id\":", "cline"},
		{"text", "x.md", "# Diary\n\nDear diary\n", "text"},
		{"text cut inside a letter", "x.md", "Grü"[:3], "text"},
		{"some JSON", "x.json", `{"a":1}`, "text"},
		{"latin-1", "x.txt", "Gr\xfc\xdfe an alle", "not a"},
		{"binary", "x", "\x7fELF\x02\x01\x00\x00", "not a"},
		{"empty", "x.jsonl", "", "empty"},
		{"white space", "x.jsonl", " \n\n", "empty"},
	} {
		got := sessionfile.Detect(Sessions(), c.file, []byte(c.head))
		if string(got.Agent) != c.want && (got.Agent != "" || !strings.HasPrefix(got.Label, c.want)) {
			t.Errorf("%s: %q, %s, want %q", c.name, got.Agent, got.Label, c.want)
		}
	}
}

func TestDetectTheRecordedSessionHoweverLittleIsSeen(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{200, 1000, sessionfile.HeadLen, len(raw)} {
		if got := sessionfile.Detect(Sessions(), "shop.jsonl", raw[:n]); got.Agent != claudecode.Name {
			t.Errorf("first %d bytes: %s", n, got.Label)
		}
	}
}

func TestDetectBehindNULBytes(t *testing.T) {
	record := `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"a {"}}`
	for _, n := range []int{1, sessionfile.HeadLen - 10, sessionfile.HeadLen, 3*sessionfile.HeadLen + 7} {
		file := strings.NewReader(strings.Repeat("\x00", n) + record)
		if got, err := sessionfile.DetectFile(Sessions(), "s.jsonl", file); err != nil || got.Agent != claudecode.Name {
			t.Errorf("behind %d bytes: %s, %v", n, got.Label, err)
		}
	}
	nothing := strings.NewReader(strings.Repeat("\x00", sessionfile.HeadLen))
	got, err := sessionfile.DetectFile(Sessions(), "s.jsonl", nothing)
	if err != nil || got.Label != "empty" {
		t.Errorf("nothing else: %s, %v", got.Label, err)
	}
}

func FuzzDetectTakesAnyBytes(f *testing.F) {
	f.Add("s.jsonl", []byte(`{"type":"user","message":{"role":[{}],"parts":[[[`))
	f.Add("opencode.db", []byte("SQLite format 3\x00"))
	f.Fuzz(func(t *testing.T, name string, head []byte) {
		got := sessionfile.Detect(Sessions(), name, head).Label
		longer := sessionfile.Detect(Sessions(), name, append([]byte("\xef\xbb\xbf"), head...)).Label
		if got != longer &&
			!strings.HasPrefix(string(head), "SQLite format 3\x00") &&
			!strings.HasPrefix(string(head), "\xef\xbb\xbf") &&
			len(head) < sessionfile.HeadLen-3 {
			t.Errorf("%q, with a byte order mark %q", got, longer)
		}
	})
}
