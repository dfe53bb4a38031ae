package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"ctxledger.dev/internal/redact"
)

// sourceSize is how much source code is redacted, in bytes.
const sourceSize = 16 << 20

// measureRedaction measures the search for secrets in source code and in the recorded session, compared with
// ten regular expressions tried on every line.
func measureRedaction(ctx context.Context, b *bench) error {
	source, err := goSource(ctx, sourceSize)
	if err != nil {
		return err
	}
	naive := lineByLine()
	r := redact.New([]byte("benchmark"))
	for _, c := range []struct {
		what string
		text []byte
	}{
		{fmt.Sprintf("redaction of source code, %d MB of Go", len(source)>>20), source},
		{"redaction of the recorded session", b.recorded},
	} {
		var ours, theirs times
		for i := range b.runs {
			if err := ours.clock(func() error { r.Find(c.text); return nil }); err != nil {
				return err
			}
			if i > 0 && len(c.text) > len(b.recorded) {
				continue // slow: once is enough
			}
			if err := theirs.clock(func() error { naive(c.text); return nil }); err != nil {
				return err
			}
		}
		size := int64(len(c.text))
		b.report.add(c.what, rate(size, ours.median()), "ten regexps on every line: "+rate(size, theirs.median()),
			fmt.Sprintf("%.0f × as fast", theirs.median().Seconds()/ours.median().Seconds()), fmt.Sprint(b.runs))
	}
	return nil
}

// goSource returns the first size bytes of Go's own source code.
func goSource(ctx context.Context, size int) ([]byte, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	tree := os.DirFS(strings.TrimSpace(string(out)))
	var source []byte
	err = fs.WalkDir(tree, "src", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case len(source) >= size:
			return fs.SkipAll
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		raw, err := fs.ReadFile(tree, path)
		source = append(source, raw...)
		return err
	})
	return source[:min(size, len(source))], err
}

// lineByLine returns a naive search for secrets: every expression on every line.
func lineByLine() func([]byte) {
	var patterns []*regexp.Regexp
	for _, p := range []string{
		`gh[pousr]_[A-Za-z0-9]{36,}`, `glpat-[A-Za-z0-9_-]{20,}`, `sk-[A-Za-z0-9_-]{20,}`, `xox[abprs]-[A-Za-z0-9-]{10,}`, `A[KS]IA[A-Z0-9]{16}`,
		`AIza[A-Za-z0-9_-]{35}`, `eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`, `-----BEGIN [A-Z ]*PRIVATE KEY-----`,
		`(?i)(?:password|passwd|secret|token|api_?key)["']?\s*[:=]\s*["']?[^\s"']{8,}`, `[a-z]+://[^/\s:@]+:[^/\s:@]+@`,
	} {
		patterns = append(patterns, regexp.MustCompile(p))
	}
	return func(text []byte) {
		for line := range bytes.Lines(text) {
			for _, p := range patterns {
				p.FindIndex(line)
			}
		}
	}
}
