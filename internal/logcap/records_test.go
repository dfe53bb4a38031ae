package logcap

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestARecordIsOneLineThatIsSafeToShow(t *testing.T) {
	for _, x := range []struct{ name, said, want string }{
		{"plain", "plain", `said=plain`},
		{"an escape sequence", "\x1b[2J", `said="\x1b[2J"`},
		{"line ends", "a\nlevel=ERROR msg=forged", `said="a\nlevel=ERROR msg=forged"`},
		{"a filler that counts as a letter", "a\u3164b", `said=a\u3164b`},
		{"variation selectors, which carry hidden bytes", "a\U000e0101", `said=a\udb40\udd01`},
		{"bytes that are not UTF-8", "a\xff", `said="a\xff"`},
	} {
		var out bytes.Buffer
		slog.New(slog.NewTextHandler(Records(&out), nil)).Warn("x", "said", x.said)
		if got := out.String(); !strings.HasSuffix(got, " "+x.want+"\n") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %q", x.name, got)
		}
	}
}

func TestARecordIsOfBoundedLength(t *testing.T) {
	for _, x := range []string{
		strings.Repeat("a", 1<<20), strings.Repeat("€", 1<<19), strings.Repeat("\x1b", 1<<19),
		strings.Repeat("\u3164", 1<<18),
	} {
		var out bytes.Buffer
		slog.New(slog.NewTextHandler(Records(&out), nil)).Warn("x", "said", x)
		got := out.String()
		if len(got) > 3*maxRecord || !strings.HasSuffix(got, "…\n") || strings.ContainsRune(got, '\ufffd') {
			t.Errorf("%d bytes, %q", len(got), got[max(0, len(got)-20):])
		}
	}
}
