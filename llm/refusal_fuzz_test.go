package llm

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ctxledger.dev/compaction"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/fault"
)

// FuzzARefusalIsToldInOneSafeLine checks the error for any refusal of a server: a code, one line of bounded
// length, nothing invisible, and never the key.
func FuzzARefusalIsToldInOneSafeLine(f *testing.F) {
	for _, d := range dialects {
		f.Add(401, d.wrong("authentication_error", "invalid key "+theKey))
		f.Add(400, d.wrong("context_length_exceeded", "prompt is too long"))
	}
	f.Add(500, "<html>\x1b[31m\u202e"+theKey)
	f.Add(400, `{"error":{"message":{"a":[1]}}}`)
	f.Add(400, strings.Repeat("x", 290)+theKey)
	f.Add(400, strings.Replace(theKey, "-", "\x00-", 1))
	f.Add(302, "")
	cl := newClient(f,
		config.Summarizer{Kind: config.KindOpenAI, URL: "https://a.example", Model: "m", KeyEnv: "THE_KEY", Timeout: 1})
	f.Fuzz(func(t *testing.T, status int, body string) {
		err := cl.refusal(status, []byte(body), request{key: theKey, prompt: compaction.Prompt{Output: 100}})
		text := err.Error()
		if code := fault.CodeOf(err); code == "" || code == fault.Internal {
			t.Fatalf("code %q", code)
		}
		if len(text) > 2_000 || !utf8.ValidString(text) ||
			strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Fatalf("told as %q", text)
		}
		if strings.Contains(text+fault.HintOf(err), theKey) {
			t.Fatalf("the key stands in %q", text)
		}
	})
}
