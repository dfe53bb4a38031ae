package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

// commaPrice matches the rows of the recorded price list whose price has a decimal comma.
const commaPrice = `"\d+,\d+"`

// read reads a part of the largest result of the session, which no model sees whole, and then all
// of it.
func (d *demo) read(ctx context.Context) error {
	a, original, err := d.largest(ctx)
	if err != nil {
		return err
	}
	var part page
	if _, err := d.mcp.Call(ctx, "read_artifact", map[string]any{"id": a.ID, "lines": "3-5"}, &part); err != nil {
		return err
	}
	if want := strings.Join(strings.SplitAfter(original, "\n")[2:5], ""); strings.TrimSuffix(part.Text,
		"\n") != strings.TrimSuffix(want, "\n") {
		return fmt.Errorf("lines 3-5 of artifact %s are %q, in the session file %q", a.ID, part.Text, want)
	}
	var found page
	if _, err := d.mcp.Call(ctx, "read_artifact", map[string]any{"id": a.ID, "grep": commaPrice}, &found); err != nil {
		return err
	}
	pages, err := d.whole(ctx, a.ID, original)
	if err != nil {
		return err
	}
	d.step("Read", "artifact %s: %s %s, %s characters", a.ID, a.Tool, a.Hint, chars.Commas(a.Chars))
	d.line("A stub stands for its %s tokens in the view. Read back over MCP:", a.Tokens)
	d.line("read_artifact, lines 3-5")
	d.quoted(part.Text, 3)
	d.line("read_artifact, grep %s  → %s", commaPrice, found.Range)
	d.line("read_artifact, %d calls  → all of it", pages)
	d.line("✓ the %s characters of the result in the session file", chars.Commas(utf8.RuneCountInString(original)))
	return nil
}

// largest returns the artifact with the most tokens, and its text in the session file.
func (d *demo) largest(ctx context.Context) (artifact, string, error) {
	out, err := d.box.Run(ctx, "artifact", "--json")
	if err != nil {
		return artifact{}, "", err
	}
	var list struct {
		Artifacts []artifact `json:"artifacts"`
	}
	if err := decode(out, &list); err != nil {
		return artifact{}, "", err
	}
	if len(list.Artifacts) == 0 {
		return artifact{}, "", fmt.Errorf(
			"the import made no artifact, though the session has results of over 70,000 characters")
	}
	a := slices.MaxFunc(list.Artifacts, func(x, y artifact) int { return x.Tokens.N - y.Tokens.N })
	for _, ref := range a.Refs {
		if text := d.rec.results[ref.Call]; text != "" {
			return a, text, nil
		}
	}
	return a, "", fmt.Errorf("artifact %s names no tool call of the session file", a.ID)
}

// whole reads an artifact in several calls, each as the answer before it says, and compares it.
func (d *demo) whole(ctx context.Context, id, original string) (calls int, err error) {
	var all strings.Builder
	args := map[string]any{"id": id, "limit": 40_000}
	for args != nil && all.Len() <= len(original) {
		var p page
		if _, err := d.mcp.Call(ctx, "read_artifact", args, &p); err != nil {
			return calls, err
		}
		calls++
		all.WriteString(p.Text)
		args = nil
		if p.Next != nil {
			args = p.Next.Arguments
		}
	}
	if all.String() != original {
		return calls, fmt.Errorf("artifact %s, read in %d calls, differs from the result in the session file", id,
			calls)
	}
	return calls, nil
}
