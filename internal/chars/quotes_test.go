package chars

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShortQuotesKeepsTheStartOfALongInput(t *testing.T) {
	long := strings.Repeat("é", 200)
	for _, tt := range []struct{ name, message, want string }{
		{"short", `there is no "x"`, `there is no "x"`},
		{"long", `there is no "` + long + `": see "y"`, `there is no "` + strings.Repeat("é", Echo) + `…": see "y"`},
		{"exactly as long", `"` + long[:2*Echo] + `"`, `"` + long[:2*Echo] + `"`},
		{"with escaped quotes", fmt.Sprintf("no %q here", strings.Repeat(`"`, 200)),
			`no "` + strings.Repeat(`\"`, Echo) + `…" here`},
		{"never closed", `"` + long, `"` + long},
	} {
		if got := ShortQuotes(tt.message); got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

func FuzzShortQuotes(f *testing.F) {
	f.Add("a", "b")
	f.Add(`\`, strings.Repeat(`"\`, 300))
	f.Fuzz(func(t *testing.T, before, input string) {
		quoted := fmt.Sprintf("%.1000q", input)
		got := ShortQuotes(strings.ReplaceAll(before, `"`, "") + quoted)
		if n := utf8.RuneCountInString(got) - utf8.RuneCountInString(before); n > 12*Echo+3 {
			t.Errorf("%d characters of %s stay", n, quoted)
		}
	})
}
