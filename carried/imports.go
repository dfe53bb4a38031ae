package carried

import (
	"path/filepath"
	"regexp"
	"strings"
)

// anImport is an import in a text: an @ behind a space or at the start of a line, and a path.
type anImport struct {
	path string // as it is written, without escapes and fragment
	at   Span   // of the @ and the path
}

// reference matches an import as Claude Code does: an @ after white space, then anything but white space, in which a
// backslash may escape a space.
var reference = regexp.MustCompile(`(?m)(?:^|[ \t])(@(?:[^\s\\]|\\ )+)`)

// importsOf returns the imports of a Markdown text, outside of its code and comments.
func importsOf(text string) []anImport {
	var out []anImport
	masked := proseOf(text)
	for _, m := range reference.FindAllStringSubmatchIndex(masked, -1) {
		path := strings.ReplaceAll(text[m[2]+1:m[3]], `\ `, " ")
		path, _, _ = strings.Cut(path, "#")
		if looksLikePath(path) {
			out = append(out, anImport{path, Span{m[2], m[3]}})
		}
	}
	return out
}

// pathStart matches how a path begins: @team-lead could be one, @!x is none.
var pathStart = regexp.MustCompile(`^(?:~/|\.{0,2}/|[\p{L}\p{N}._-])`)

func looksLikePath(path string) bool { return pathStart.MatchString(path) }

// isFileName reports whether a path that is not there was meant as one: "@team" was not.
func isFileName(path string) bool {
	return strings.Contains(path, "/") || filepath.Ext(path) != "" && !strings.HasSuffix(path, ".")
}

// fence matches a line that begins or ends a block of code.
var fence = regexp.MustCompile("^ {0,3}(```+|~~~+)")

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
		if m := fence.FindStringSubmatch(line); m != nil {
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
	blankAll(string(out), codeSpan, blank)
	blankAll(string(out), comment, blank)
	return string(out)
}

// blankBefore reports whether the line in front ends a paragraph, so that an indented one is code.
func blankBefore(before string) bool {
	return strings.HasSuffix(strings.TrimRight(before, " \t"), "\n\n")
}

var (
	codeSpan = regexp.MustCompile("(?s)`[^`]+`|``.+?``")
	comment  = regexp.MustCompile(`(?s)<!--.*?-->`)
	// blockComment is a comment that makes a paragraph of its own: Claude Code leaves it out.
	blockComment = regexp.MustCompile(`(?ms)^[ ]{0,3}<!--.*?-->[ \t]*(?:\n|\z)`)
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
