package statements

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"It doesn't WORK, root-cause: x2": "it doesn't work root-cause x2",
		"doesn’t 'quoted' -- a-":          "doesn't quoted a",
		"发现问题":                            "发现 现问 问题",
		"an 的 b":                          "an b",
		"":                                "",
		"Ünïcode straße":                  "ünïcode straße",
	} {
		if got := strings.Join(wordsOf(text), " "); got != want {
			t.Errorf("%q has the words %q, want %q", text, got, want)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	for text, want := range map[string]string{
		"See cart.go and Cart.Add in pkg/cart/cart.go.": "cart.go Cart.Add pkg/cart/cart.go",
		"set MAX_SIZE and parseAmount, HTTP too":        "MAX_SIZE parseAmount HTTP",
		"a plain Sentence with Words.":                  "",
		"exit code 137, v1.24 and 12 of them":           "137 v1.24",
		"use --dry-run or -v":                           "",
		"`snake_case` (camelCase) \"x1y\"":              "snake_case camelCase x1y",
	} {
		if got := strings.Join(identifiersOf(text), " "); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}
