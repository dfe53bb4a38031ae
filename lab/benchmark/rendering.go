package main

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"ctxledger.dev/internal/termtext"
)

// outputSize is how much output of each kind is rendered, in bytes.
const outputSize = 8 << 20

// measureRendering measures rendering commands' terminal output, compared with the few lines that programs
// use for it, which do not support an upward cursor.
func measureRendering(ctx context.Context, b *bench) error {
	source, err := goSource(ctx, outputSize)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		what string
		text []byte
	}{
		{"rendering of plain output (Go's source code)", source},
		{"rendering of a progress bar", written(func(i int) string {
			return fmt.Sprintf("\r%3d%% [%-50s] %d/1000 files", i%100, strings.Repeat("=", i%50)+">", i%1000)
		})},
		{"rendering of coloured test output", written(func(i int) string {
			return fmt.Sprintf("\x1b[32m✓\x1b[0m \x1b[1mrenders case %d\x1b[22m of the table \x1b[90m(%d ms)\x1b[39m\r\n", i, i%40)
		})},
		{"rendering of a list that is drawn again", written(func(i int) string {
			return fmt.Sprintf("\x1b[5A\x1b[2K\x1b[36mlayer 1\x1b[0m Downloading %d MB\n\x1b[2K\x1b[36mlayer 2\x1b[0m Waiting\n\n\n\n", i)
		})},
	} {
		var ours, theirs times
		var screen []byte
		for range b.runs {
			if err := ours.clock(func() error { screen = termtext.Render(screen[:0], c.text); return nil }); err != nil {
				return err
			}
			if err := theirs.clock(func() error { overwrite(c.text); return nil }); err != nil {
				return err
			}
		}
		size := int64(len(c.text))
		b.report.add(c.what, rate(size, ours.median()), "a regexp, then a character at a time: "+rate(size, theirs.median()),
			fmt.Sprintf("%.0f × as fast", theirs.median().Seconds()/ours.median().Seconds()), fmt.Sprint(b.runs))
	}
	return nil
}

// written returns output of outputSize bytes, made of numbered parts.
func written(part func(i int) string) []byte {
	var out bytes.Buffer
	for i := 0; out.Len() < outputSize; i++ {
		out.WriteString(part(i))
	}
	return out.Bytes()
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// overwrite is a naive renderer: it removes sequences, and a carriage return overwrites the line.
func overwrite(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(escapes.ReplaceAll(text, nil)) {
		var shown []rune
		at := 0
		for _, r := range string(bytes.TrimRight(line, "\r\n")) {
			switch {
			case r == '\r':
				at = 0
				continue
			case at < len(shown):
				shown[at] = r
			default:
				shown = append(shown, r)
			}
			at++
		}
		out = append(append(out, strings.TrimRight(string(shown), " ")...), '\n')
	}
	return out
}
