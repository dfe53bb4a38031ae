package anyfile

import (
	"strings"
	"testing"
)

func TestNumberedIsWhatACallShows(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		cut              bool
	}{
		{"nothing", "", "", false},
		{"lines", "# shop\n\nA small shop\n", "1\t# shop\n2\t\n3\tA small shop", false},
		{"other line ends", "a\r\nb", "1\ta\n2\tb", false},
		{"a long line", strings.Repeat("é", 2_001) + "\nb", "1\t" + strings.Repeat("é", 2_000) + "\n2\tb", true},
		{"as long as it may be", strings.Repeat("é", 2_000), "1\t" + strings.Repeat("é", 2_000), false},
	} {
		if got, cut := numbered(c.text); got != c.want || cut != c.cut {
			t.Errorf("%s: %.60q, %v", c.name, got, cut)
		}
	}
	got, cut := numbered(strings.Repeat("x\n", 2_001))
	if !cut || !strings.HasSuffix(got, "\n2000\tx") {
		t.Errorf("of too many lines the last is %q", got[len(got)-20:])
	}
}
