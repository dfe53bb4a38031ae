package carried

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"

	"ctxledger.dev/internal/pattern"
)

// anImport is an import in a text: an @ behind a space or at the start of a line, and a path.
type anImport struct {
	path string // as it is written, without escapes and fragment
	at   Span   // of the @ and the path
}

// importsOf returns the imports of a Markdown text, outside its code and comments, as Claude Code finds them: an @
// after white space, then anything but white space, in which a backslash may escape a space.
func importsOf(text string) []anImport {
	if !strings.Contains(text, "@") {
		return nil
	}
	var out []anImport
	masked := proseOf(text)
	for from := 0; ; {
		n := strings.IndexByte(masked[from:], '@')
		if n < 0 {
			return out
		}
		at := from + n
		end := referenceEnd(masked, at+1)
		from = max(end, at+1)
		if at > 0 && !strings.ContainsRune(" \t\n", rune(masked[at-1])) {
			continue
		}
		path := strings.ReplaceAll(text[at+1:end], `\ `, " ")
		path, _, _ = strings.Cut(path, "#")
		if looksLikePath(path) {
			out = append(out, anImport{path, Span{at, end}})
		}
	}
}

// referenceEnd returns where the path of an import ends that begins at from.
func referenceEnd(text string, from int) int {
	for i := from; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\n', '\r', '\v', '\f':
			return i
		case '\\':
			if i+1 == len(text) || text[i+1] != ' ' {
				return i
			}
			i++
		}
	}
	return len(text)
}

// pathStart matches how a path begins: @team-lead could be one, @!x is none.
var pathStart = pattern.Lazy(`^(?:~/|\.{0,2}/|[\p{L}\p{N}._-])`)

func looksLikePath(path string) bool { return pathStart().MatchString(path) }

// isFileName reports whether a path that is not there was meant as one: "@team" was not.
func isFileName(path string) bool {
	return strings.Contains(path, "/") || filepath.Ext(path) != "" && !strings.HasSuffix(path, ".")
}

// fence matches a line that begins or ends a block of code.
var fence = pattern.Lazy("^ {0,3}(```+|~~~+)")

// proseOf returns the text with its code and its comments blanked, byte for byte, so that positions stay.
func proseOf(text string) string {
	out := []byte(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	open, at := "", 0
	for line := range strings.Lines(text) {
		end := at + len(line)
		mark := ""
		if m := fence().FindStringSubmatch(line); m != nil {
			mark = m[1]
		}
		switch {
		case open != "":
			blank(at, end)
			if strings.HasPrefix(mark, open) && strings.TrimSpace(strings.TrimLeft(line, " `~")) == "" {
				open = ""
			}
		case mark != "":
			open = mark
			blank(at, end)
		case strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"):
			if at == 0 || blankBefore(text[:at]) {
				blank(at, end)
			}
		}
		at = end
	}
	if bytes.IndexByte(out, '`') >= 0 {
		blankAll(string(out), codeSpan(), blank)
	}
	if bytes.Contains(out, []byte("<!--")) {
		blankAll(string(out), comment(), blank)
	}
	return string(out)
}

// blankBefore reports whether the line in front ends a paragraph, so that an indented one is code.
func blankBefore(before string) bool {
	return strings.HasSuffix(strings.TrimRight(before, " \t"), "\n\n")
}

var (
	codeSpan = pattern.Lazy("(?s)`[^`]+`|``.+?``")
	comment  = pattern.Lazy(`(?s)<!--.*?-->`)
	// blockComment is a comment that makes a paragraph of its own: Claude Code leaves it out.
	blockComment = pattern.Lazy(`(?ms)^[ ]{0,3}<!--.*?-->[ \t]*(?:\n|\z)`)
)

func blankAll(text string, of *regexp.Regexp, blank func(from, to int)) {
	for _, m := range of.FindAllStringIndex(text, -1) {
		blank(m[0], m[1])
	}
}

// resolve returns the path that an import means.
func resolve(path, importer, home string) string {
	switch {
	case strings.HasPrefix(path, "~/"):
		return filepath.Join(home, filepath.FromSlash(path[2:]))
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(filepath.Dir(importer), filepath.FromSlash(path))
}
