package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"ctxledger.dev/internal/chars"
)

func TestPlainShowsWhatCouldDriveATerminal(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "Grüße, 买家 👩‍👩‍👧‍👦 ✌️\n\tx", "Grüße, 买家 👩‍👩‍👧‍👦 ✌️\n\tx"},
		{"escape", "\x1b[31mred\x1b[0m", `\u001b[31mred\u001b[0m`},
		{"bell and backspace", "a\a\b", `a\u0007\u0008`},
		{"carriage return", "good\rbad", `good\u000dbad`},
		{"eight-bit control", "\u009b31m", `\u009b31m`},
		{"eight-bit control as a bare byte", "\x9b31m", "\ufffd31m"},
		{"delete", "\x7f", `\u007f`},
		{"right to left override", "\u202egnp.exe", `\u202egnp.exe`},
		{"zero width space", "a\u200bb", `a\u200bb`},
		{"line separator", "a\u2028b", `a\u2028b`},
		{"hidden tag", "\U000e0041", `\udb40\udc41`},
		{"invalid UTF-8", "Gr\xfc\xdfe", "Gr\ufffd\ufffde"},
	} {
		if got := plain(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLineFitsItsColumns(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 10, "short"},
		{"  many\n\n lines\there ", 20, "many lines here"},
		{"exactly ten", 11, "exactly ten"},
		{"one too long", 11, "one too lo…"},
		{"买家和卖家", 10, "买家和卖家"},
		{"买家和卖家", 9, "买家和卖…"},
		{"买家和卖家", 8, "买家和…"},
		{"\x1b[1mx", 20, `\u001b[1mx`},
		{"", 5, ""},
	} {
		if got := line(c.in, c.n); got != c.want || lipgloss.Width(got) > c.n {
			t.Errorf("line(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestFigures(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{chars.Commas(0), "0"},
		{chars.Commas(999), "999"},
		{chars.Commas(1000), "1,000"},
		{chars.Commas(-1234567), "-1,234,567"},
		{chars.Commas(-123), "-123"},
		{size(0), "0 B"},
		{size(999), "999 B"},
		{size(1000), "1.0 KB"},
		{size(999_949), "999.9 KB"},
		{size(999_950), "1.0 MB"},
		{size(1_534_588), "1.5 MB"},
		{size(5_000_000_000_000_000), "5000.0 TB"},
		{plural(1, "memory"), "1 memory"},
		{plural(0, "memory"), "0 memories"}, {plural(2, "day"), "2 days"},
		{plural(int64(1234), "line"), "1,234 lines"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	for share, want := range map[float64]string{-1: "░░░░", 0: "░░░░", 0.5: "██░░", 1: "████", 7: "████"} {
		if full, empty := bars(share, 4); full+empty != want {
			t.Errorf("bars(%v) = %q, want %q", share, full+empty, want)
		}
	}
}

// FuzzATerminalGetsNothingHostile: what reaches a terminal is UTF-8 without control characters,
// and does not depend on how the bytes came.
func FuzzATerminalGetsNothingHostile(f *testing.F) {
	f.Add([]byte("Grüße 买家 👩‍👩‍👧‍👦"), 3)
	f.Add([]byte("\x1b[31m\xe4\xb9\x1b"), 1)
	f.Add([]byte("\xf0\x9f\x99"), 2)
	f.Fuzz(func(t *testing.T, content []byte, chunk int) {
		var out bytes.Buffer
		w := &terminalWriter{w: &out}
		for rest := content; len(rest) > 0; {
			n := min(max(chunk, 1), len(rest))
			if written, err := w.Write(rest[:n]); written != n || err != nil {
				t.Fatalf("%d of %d bytes: %v", written, n, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if !utf8.ValidString(got) || strings.ContainsFunc(got, hostile) {
			t.Errorf("a terminal would get %q", got)
		}
		if want := plain(string(content)); got != want {
			t.Errorf("in chunks %q, at once %q", got, want)
		}
	})
}

func TestTablesAlignInEveryScript(t *testing.T) {
	tab := (&app{}).newTable("NAME", ">N", "WHAT")
	tab.indent = "  "
	tab.add("ascii", "1", "x")
	tab.add("买家", "22,000", "汉字")
	tab.add("👩‍👩‍👧‍👦 emoji", "333", "evil \x1b[2J\nlines")
	tab.add("é", "", strings.Repeat("long ", 40))
	var b bytes.Buffer
	tab.print(&b)
	rows := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(rows) != 5 {
		t.Fatalf("%d lines:\n%s", len(rows), b.String())
	}
	column := -1
	for i, want := range []string{"WHAT", "x", "汉字", "evil", "long"} {
		before, _, ok := strings.Cut(rows[i], want)
		if at := lipgloss.Width(before); !ok || column >= 0 && at != column {
			t.Errorf("the last column of line %d is not where it should be:\n%s", i, b.String())
		} else {
			column = at
		}
		if strings.HasSuffix(rows[i], " ") || strings.ContainsFunc(rows[i], hostile) {
			t.Errorf("line %q", rows[i])
		}
	}
}

func TestReadCommandIsOneThatAShellUnderstands(t *testing.T) {
	for in, want := range map[string]string{
		"10-40": "10-40", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x`y`": "'$x`y`'", "a.go": "a.go",
	} {
		if got := quoted(in); got != want {
			t.Errorf("quoted(%q) = %s, want %s", in, got, want)
		}
	}
	if got, want := fmt.Sprint(storedOf([]byte("ü")), storedOf([]byte{0xff})), "{ü []} { [255]}"; got != want {
		t.Errorf("stored bytes: %s, want %s", got, want)
	}
}
