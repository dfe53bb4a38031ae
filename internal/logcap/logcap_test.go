package logcap

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestWhatRepeatsIsWrittenLessAndLess(t *testing.T) {
	for _, x := range []struct {
		name    string
		message func(i int) string
		records int
		most    int // lines
		last    string
	}{
		{"a few", func(int) string { return "refused" }, 10, 10, "i=9"},
		{"very many of one kind", func(int) string { return "refused" }, 100_000, 23, "times=81920"},
		{"very many of two kinds", func(i int) string { return fmt.Sprint("refused ", i%2) }, 100_000, 2 * 22,
			"times=40960"},
		{"each another one", func(i int) string { return fmt.Sprint("refused ", i) }, 100_000, most + 23,
			"times=81920"},
	} {
		t.Run(x.name, func(t *testing.T) {
			var out bytes.Buffer
			log := slog.New(New(slog.NewTextHandler(&out, nil))).With("a", 1)
			for i := range x.records {
				log.Warn(x.message(i), "i", i)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if n := len(lines); n > x.most || n < min(x.records, free) {
				t.Errorf("%d lines, at most %d", n, x.most)
			}
			if last := lines[len(lines)-1]; !strings.Contains(last, x.last) || !strings.Contains(last, "a=1") {
				t.Errorf("the last line: %s", last)
			}
		})
	}
}
