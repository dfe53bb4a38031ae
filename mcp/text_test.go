package mcp

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// FuzzClean: nothing hostile is left, what was harmless stays, and cleaning twice changes nothing.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"plain\ttext\r\n", "\x1b[31mred\x1b[0m", "a\rb", "\u202eevil", "\xff\xfe", "\U000e0041",
		"é漢字🙂"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if strings.ContainsFunc(strings.ReplaceAll(got, "\r\n", "\n"), chars.Hostile) {
			t.Errorf("clean(%q) = %q", s, got)
		}
		if clean(got) != got {
			t.Errorf("clean(%q) = %q is changed again", s, got)
		}
		if utf8.RuneCountInString(got) != utf8.RuneCountInString(s) {
			t.Errorf("clean(%q) = %q has another length", s, got)
		}
		if line := oneLine(s, 20); strings.ContainsAny(line, "\n\r") || utf8.RuneCountInString(line) > 20 {
			t.Errorf("oneLine(%q) = %q", s, line)
		}
	})
}

// TestAnswersHideNothing plants a character that is not seen, or drives a terminal, in what tools and prompts quote.
func TestAnswersHideNothing(t *testing.T) {
	for _, r := range []rune{
		0x1b, 0x9b, 0x7f, 0xad, 0x34f, 0x61c, 0x180b, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202e, 0x2060, 0x2066,
		0x3164, 0xfe01, 0xfeff, 0xe0041, 0xe0130,
	} {
		t.Run(fmt.Sprintf("%U", r), func(t *testing.T) {
			f, planted := newFixture(t, nil), "be"+string(r)+"fore"
			said, err := f.local.AppendMessages(t.Context(), ledger.AppendMessagesRequest{
				Format: transcript.Anthropic,
				Messages: [][]byte{
					transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, "the words "+planted),
					transcript.NewMessage(transcript.Anthropic, transcript.RoleAssistant,
						"the answer "+planted+strings.Repeat(" and much more", 5000)),
					transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, "next"),
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			c := connect(t, f.Server, "tester")
			do[memoryResult](t, c, "memory", args{"action": "save", "name": "words", "body": "the body " + planted})
			answers := map[string]string{"error": refused(t, c, "memory", args{"action": "get", "name": "x" + planted})}
			_, answers["get"] = do[memoryResult](t, c, "memory", args{"action": "get", "name": "words"})
			_, answers["recall"] = do[memoryResult](t, c, "memory", args{"action": "recall", "query": "words"})
			_, answers["summary"] = do[compactResult](t, c, "compact_conversation",
				args{"session": said.Session, "keep_turns": 1, "return": "summary", "notes": "a note " + planted})
			if answers["prompt"], err = resume(t, c, map[string]string{"session": said.Session}); err != nil {
				t.Fatal(err)
			}
			for exit, text := range answers {
				if !strings.Contains(text, "be") || !chars.Safe(text) {
					t.Errorf("%s: %q", exit, text)
				}
			}
		})
	}
}

func TestUpToKeepsWholeLinesWithinTheBudget(t *testing.T) {
	text := strings.Repeat("a line of several words\n", 50)
	for budget := range 200 {
		got, all := upTo(text, budget)
		if count(got) > budget || got != "" && !strings.HasSuffix(got, "\n") || !strings.HasPrefix(text, got) ||
			all != (got == text) {
			t.Fatalf("budget %d: %d tokens, all %v", budget, count(got), all)
		}
	}
	if got, all := upTo(text, 10_000); got != text || !all {
		t.Error("a text that fits is cut")
	}
}
