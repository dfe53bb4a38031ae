package mcp

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzClean: nothing dangerous is left, what was harmless stays, and cleaning twice changes nothing.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"plain\ttext\r\n", "\x1b[31mred\x1b[0m", "a\rb", "\u202eevil", "\xff\xfe", "\U000e0041", "é漢字🙂"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if strings.ContainsFunc(strings.ReplaceAll(got, "\r\n", "\n"), dangerous) {
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

func TestUpToKeepsWholeLinesWithinTheBudget(t *testing.T) {
	text := strings.Repeat("a line of several words\n", 50)
	for budget := range 200 {
		got, all := upTo(text, budget)
		if count(got) > budget || got != "" && !strings.HasSuffix(got, "\n") || !strings.HasPrefix(text, got) || all != (got == text) {
			t.Fatalf("budget %d: %d tokens, all %v", budget, count(got), all)
		}
	}
	if got, all := upTo(text, 10_000); got != text || !all {
		t.Error("a text that fits is cut")
	}
}
