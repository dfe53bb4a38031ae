package carried

import (
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

// claudeImports returns the imports of a Markdown text as Claude Code finds them, also between marks of emphasis.
func claudeImports(text string) []anImport {
	return importsIn(text, claudeStart, func(text string) string {
		out := []byte(proseOf(text))
		for _, m := range emphasized().FindAllSubmatchIndex(out, -1) {
			blankIn(out, m[2], m[3])
			blankIn(out, m[4], m[5])
		}
		return string(out)
	})
}

// geminiImports returns those that Gemini CLI finds, which knows only of code between backticks.
func geminiImports(text string) []anImport {
	return importsIn(text, geminiStart, func(text string) string {
		out := []byte(text)
		blankAll(out, 0, len(out), backticks())
		return string(out)
	})
}

// importsIn returns the imports in the prose of a text: an @ after white space, then anything but white space, in which a
// backslash may escape a space, that begins as a path does.
func importsIn(text string, starts func() *regexp.Regexp, prose func(text string) string) []anImport {
	if !strings.Contains(text, "@") {
		return nil
	}
	var out []anImport
	masked := prose(text)
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
		if starts().MatchString(path) {
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

// How paths of imports begin: @team-lead could be one, @!x is none.
var (
	claudeStart = pattern.Lazy(`^(?:~/|/.|[A-Za-z0-9._-])`)
	geminiStart = pattern.Lazy(`^[A-Za-z./]`)
)

// emphasized matches an import between marks of emphasis.
var emphasized = pattern.Lazy(`(?m)(?:^|[ \t])(\*{1,3}|_{1,3}|~~)@\S*?[^\s*_~](\*{1,3}|_{1,3}|~~)(?:\s|$)`)

// isFileName reports whether a path that is not there was meant as one: "@team" was not.
func isFileName(path string) bool {
	return strings.Contains(path, "/") || filepath.Ext(path) != "" && !strings.HasSuffix(path, ".")
}

// How lines begin, and what lines are, that are more than text of a paragraph.
var (
	fence = pattern.Lazy("^ *(```+|~~~+)")                  // begins or ends a block of code
	item  = pattern.Lazy(`^ *(?:[-*+]|\d{1,9}[.)]) {1,4}`)  // begins an item of a list
	block = pattern.Lazy(`^ {0,3}(?:[-*+>#|]|\d{1,9}[.)])`) // is not the same block as the line before
	// tag matches a tag on a line of its own. HTML follows, up to the next blank line.
	tag = pattern.Lazy(`^ {0,3}</?[A-Za-z][\w-]*(?:\s[^<>]*)?>\s*$`)
)

// proseOf returns the text with its code, its HTML and its comments blanked, byte for byte, so that positions stay.
func proseOf(text string) string {
	out := []byte(text)
	p := prose{blank: true}
	from, at := 0, 0 // of the present block, of the line
	for line := range strings.Lines(text) {
		end := at + len(line)
		if p.hides(line) {
			blankIn(out, at, end)
		}
		if p.blank || block().MatchString(line) {
			blankAll(out, from, at, spans())
			from = at
		}
		at = end
	}
	blankAll(out, from, at, spans())
	blankAll(out, 0, at, comment())
	return string(out)
}

// prose is what is known of a text while its lines are looked at.
type prose struct {
	fence string // that is open
	html  bool   // a tag is open
	blank bool   // the last line was
	item  int    // where the text of the present item of a list begins
}

// hides reports whether a line is code or HTML.
func (p *prose) hides(line string) bool {
	line = strings.ReplaceAll(line, "\t", "    ")
	indent := len(line) - len(strings.TrimLeft(line, " "))
	mark, after := "", p.blank
	if m := fence().FindStringSubmatch(line); m != nil && indent < p.item+4 {
		mark = m[1]
	}
	p.blank = strings.TrimSpace(line) == ""
	switch {
	case p.fence != "":
		if strings.HasPrefix(mark, p.fence) && strings.TrimSpace(strings.TrimLeft(line, " `~")) == "" {
			p.fence = ""
		}
		return true
	case p.blank:
		p.html = false
		return false
	case p.html || after && tag().MatchString(line):
		p.html = true
		return true
	case mark != "":
		p.fence = mark
		return true
	}
	if after && indent < p.item {
		p.item = 0
	}
	if after && indent >= p.item+4 {
		p.blank = true // the next line can be code, too
		return true
	}
	if m := item().FindString(line); m != "" {
		p.item = len(m)
	}
	return false
}

var (
	// spans matches code within a block, and what a backslash takes its meaning from.
	spans     = pattern.Lazy("(?s)\\\\[!-/:-@\\[-`{-~]|``.+?``|`[^`]+`")
	backticks = pattern.Lazy("(?s)```.*?```|``.+?``|`[^`]+`")
	comment   = pattern.Lazy(`(?s)<!--.*?-->`)
	// blockComment is a comment that makes a paragraph of its own: Claude Code leaves it out.
	blockComment = pattern.Lazy(`(?ms)^[ ]{0,3}<!--.*?-->[ \t]*(?:\n|\z)`)
)

// blankAll blanks what matches in a part of a text.
func blankAll(out []byte, from, to int, of *regexp.Regexp) {
	for _, m := range of.FindAllIndex(out[from:to], -1) {
		blankIn(out, from+m[0], from+m[1])
	}
}

// blankIn blanks a part of a text, but for the ends of its lines.
func blankIn(out []byte, from, to int) {
	for i := from; i < to; i++ {
		if out[i] != '\n' {
			out[i] = ' '
		}
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
