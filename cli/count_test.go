package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/tokens"
)

func TestEndingKeepsTheEnd(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 5, "short"}, {"longer", 5, "…nger"}, {"买家和卖家", 9, "…家和卖家"},
		{"买家和卖家", 8, "…和卖家"}, {"", 3, ""}, {"ab", 1, "…"},
	} {
		if got := columns.Ending(c.in, c.n); got != c.want || !utf8.ValidString(got) {
			t.Errorf("columns.Ending(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestFineBarsShowEighths(t *testing.T) {
	for share, want := range map[float64]string{
		0: "", 0.001: "", 1. / 16: "▌", 1. / 64: "▏", 7. / 64: "▉", 0.5: "████", 0.51: "████▏", 0.53: "████▎",
		1: "████████", 7: "████████", -1: "",
	} {
		if got := columns.FineBar(share, 8); got != want {
			t.Errorf("columns.FineBar(%v) = %q, want %q", share, got, want)
		}
	}
}

func TestABarFitsTheTerminal(t *testing.T) {
	b := &bar{label: "counting"}
	for width, want := range map[int]string{
		0:  "counting ████████████░░░░░░░░░░░░  50%  5.0 MB of 10.0 MB  2.5 MB/s",
		80: "counting ████████████░░░░░░░░░░░░  50%  5.0 MB of 10.0 MB  2.5 MB/s",
		60: "counting ████████████░░░░░░░░░░░░  50%  5.0 MB of 10.0 MB",
		40: "counting ████████████░░░░░░░░░░░░  50%",
		20: "counting  50%",
		8:  " 50%",
	} {
		if got := b.line(5e6, 10e6, 2*time.Second, width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}

// However many count, what comes out has the order of the walk.
func TestTheOrderOfCountsDoesNotDependOnTime(t *testing.T) {
	dir := t.TempDir()
	var want []string
	for i := range 200 {
		name := fmt.Sprintf("d%d/f%03d.txt", i/50, i)
		want = append(want, name)
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, bytes.Repeat([]byte("word "), 1+(i*37%100)*50), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		got, err := countAll(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range got.Files {
			if filepath.ToSlash(f.Path) != want[i] || f.Tokens != 2+(i*37%100)*50 {
				t.Fatalf("file %d: %+v, want %s", i, f, want[i])
			}
		}
	}
}

// countAll counts a directory.
func countAll(ctx context.Context, dir string) (counted, error) {
	a := &action{masks: redact.New(nil), Config: Config{Err: io.Discard}}
	a.Env.Dir, a.Env.Now = dir, time.Now
	t, err := countFiles(ctx, a, tokens.O200kBase.Counter(), []string{"."})
	if err != nil {
		return counted{}, err
	}
	out, _ := t.counted()
	return out, nil
}

func TestACancelledCountEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := countAll(ctx, t.TempDir()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v, want the end of the context", err)
	}
}
