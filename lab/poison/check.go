package poison

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Terminal says what in an output could drive a terminal, or reorder or hide text there; nil where nothing could. It
// knows nothing of what our own code takes for hostile: all but letters, marks, numbers, punctuation, symbols and
// spaces is, and so are invisible letters and marks. own matches the sequences that the program itself may
// write; nil for none.
func Terminal(out string, own *regexp.Regexp) error {
	if own != nil {
		out = own.ReplaceAllString(out, "")
	}
	for i, r := range out {
		if r == utf8.RuneError && !strings.HasPrefix(out[i:], "\ufffd") {
			return fmt.Errorf("byte %#x at %d is not text: %s", out[i], i, around(out, i))
		}
		if !seen(r) {
			return fmt.Errorf("U+%04X at byte %d: %s", r, i, around(out, i))
		}
	}
	return nil
}

// unseen are invisible characters of Unicode classes that count as visible.
var unseen = &unicode.RangeTable{R16: []unicode.Range16{
	{0x034f, 0x034f, 1}, {0x115f, 0x1160, 1}, {0x17b4, 0x17b5, 1}, {0x180b, 0x180f, 1}, {0x3164, 0x3164, 1},
	{0xfe00, 0xfe0d, 1}, {0xffa0, 0xffa0, 1},
}, R32: []unicode.Range32{{0xe0100, 0xe01ef, 1}}}

// seen reports whether a character is text: scripts and emoji need the joiners.
func seen(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d':
		return true
	case '\u2028', '\u2029':
		return false
	}
	return !unicode.Is(unseen, r) && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs)
}

// around returns the surroundings of a position, for a message.
func around(out string, at int) string {
	const context = 40
	return fmt.Sprintf("%q", out[max(0, at-context):min(len(out), at+context)])
}

// Line is a line of an output, and whether it is in a fenced block of Markdown.
type Line struct {
	Text   string
	Fenced bool // also the line that ends the fence, not the one that begins it
}

// fenceLine is what begins a fence.
var fenceLine = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})([^`]*)$")

// Lines reads an output as CommonMark does, as far as fences go. open says that the last one does not end.
func Lines(out string) (lines []Line, open bool) {
	fence := ""
	for text := range strings.SplitSeq(out, "\n") {
		m := fenceLine.FindStringSubmatch(text)
		lines = append(lines, Line{text, fence != ""})
		switch {
		case fence == "" && m != nil:
			fence = m[1]
		case fence != "" && m != nil && m[1][0] == fence[0] && len(m[1]) >= len(fence) && strings.TrimSpace(m[2]) == "":
			fence = ""
		}
	}
	return lines, fence != ""
}

// Canary is the word with which planted texts begin and end the lines around them; no output has it otherwise.
const Canary = "zqcanary"

// Framed says where a planted text begins a line outside a fenced block, as only our own words may.
func Framed(out string) error {
	lines, open := Lines(out)
	if open {
		return fmt.Errorf("a fence is left open")
	}
	for i, l := range lines {
		if !l.Fenced && strings.HasPrefix(l.Text, Canary) {
			return fmt.Errorf("line %d begins with planted text: %.120q", i+1, l.Text)
		}
	}
	return nil
}

// heads are the beginnings of lines that readers of a summary key on: each may occur once.
var heads = regexp.MustCompile(`^[ \t]*(\[(?:STATE OF|TASK|REFUSED|NOW|CONVERSATION|FILES|CHECKS|UNRESOLVED|LOOK UP|` +
	`DOCUMENTS|WHAT THE|PINNED|AGENT|INTENT-DERIVED|CONTEXT RECONSTRUCTION|COMPACTION|REASONING|ATTEMPTS|EARLIER SUMMARY|` +
	`USER MESSAGES|OPEN WORK|COMMANDS|ARTIFACTS|EXPLORATION|NAMES BY TURN)[A-Z' ]*|OPERATIONS \(|FILES MODIFIED|` +
	`RESUMPTION NOTE|WARNING:|CARRIED ANCHORS|\[Prior Summary|The full conversation history has been saved|All of it, byte for byte|` +
	`These changes are already on disk|Paths are relative to|Re-read only|Earlier runs, |Failed before, |` +
	`Read and not changed|Files read \(|Files grepped|Other paths that|Shell searches)`)

// Document says what in the text of a summary poses as the ledger's own words: a heading, a rule between blocks, a
// label of a quotation. Other programs read them line by line, so they must not occur in fenced blocks either.
func Document(out string) error {
	if err := Framed(out); err != nil {
		return err
	}
	lines, _ := Lines(out)
	count := map[string]int{}
	rules := 0
	for i, l := range lines {
		m := heads.FindStringSubmatch(l.Text)
		switch {
		case l.Fenced && (m != nil || l.Text == "---" || strings.HasPrefix(strings.TrimSpace(l.Text), "(turn ")):
			return fmt.Errorf("line %d, in a fence, poses as one of ours: %.120q", i+1, l.Text)
		case m != nil:
			if count[m[1]]++; count[m[1]] > 1 {
				return fmt.Errorf("line %d: a second %q", i+1, m[1])
			}
		case l.Text == "---":
			rules++
		}
	}
	if rules > len(count) {
		return fmt.Errorf("%d rules for %d headings", rules, len(count))
	}
	return nil
}

// commentLike and noise are what a reader passes over in the name of a tag.
var (
	commentLike = regexp.MustCompile(`<!--.*?-->`) // in one line: a name of a tag has no line end
	noise       = regexp.MustCompile(`[^a-z0-9</>]+`)
)

// Tagged says whether a block that begins with <tag> and ends with </tag> has another such tag in it, however it is
// spelled: in capitals, with spaces, with invisible characters, with a comment in it.
func Tagged(out, tag string) error {
	if opens, closes := tagsOf(out, tag); opens != 1 || closes != 1 {
		return fmt.Errorf("%d tags open the block %s, %d close it", opens, tag, closes)
	}
	return nil
}

// Closed says whether more than one tag closes a block: in prompts, whose words are those of programs, others may open.
func Closed(out, tag string) error {
	if _, closes := tagsOf(out, tag); closes != 1 {
		return fmt.Errorf("%d tags close the block %s", closes, tag)
	}
	return nil
}

func tagsOf(out, tag string) (opens, closes int) {
	bare := strings.ToLower(commentLike.ReplaceAllString(out, ""))
	bare = noise.ReplaceAllString(strings.Map(func(r rune) rune {
		if seen(r) {
			return r
		}
		return -1
	}, bare), "")
	tag = noise.ReplaceAllString(tag, "")
	return strings.Count(bare, "<"+tag), strings.Count(bare, "</"+tag)
}

// What Markdown makes of a line.
var (
	escapedMark = regexp.MustCompile(`\\[!-/:-@\[-` + "`" + `{-~]`)
	// The name of a turn that can be folded is HTML, in which Markdown makes nothing of anything: its text is escaped.
	foldedName = regexp.MustCompile(`^<summary>[^<>]*</summary>$`)
	active     = regexp.MustCompile(`\]\(|!\[|<[a-zA-Z/!?]|://|\bwww\.|[\w.]@\w|\]\[|^\s*\[[^\]]*\]:`)
)

// Markdown says which line of a document for an editor has a link, an image or HTML that a planted text made, or
// begins with one.
func Markdown(out string) error {
	if err := Framed(out); err != nil {
		return err
	}
	lines, _ := Lines(out)
	for i, l := range lines {
		if l.Fenced || !strings.Contains(l.Text, Canary) || foldedName.MatchString(strings.TrimSpace(l.Text)) {
			continue
		}
		if bare := escapedMark.ReplaceAllString(withoutCode(l.Text), ""); active.MatchString(bare) {
			return fmt.Errorf("line %d is active outside its code: %.160q", i+1, bare)
		}
	}
	return nil
}

// withoutCode returns a line without its code spans, as CommonMark has them.
func withoutCode(line string) string {
	var b strings.Builder
	for line != "" {
		if line[0] == '\\' && len(line) > 1 {
			b.WriteString(line[:2])
			line = line[2:]
			continue
		}
		run := len(line) - len(strings.TrimLeft(line, "`"))
		if run == 0 {
			b.WriteByte(line[0])
			line = line[1:]
			continue
		}
		end := closing(line[run:], run)
		if end < 0 {
			b.WriteString(strings.Repeat("'", run))
			line = line[run:]
			continue
		}
		line = line[run+end:]
	}
	return b.String()
}

// closing returns where the code span ends that begins with so many backticks; -1: it does not.
func closing(text string, run int) int {
	for at := 0; at < len(text); {
		if text[at] != '`' {
			at++
			continue
		}
		n := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		if at += n; n == run {
			return at
		}
	}
	return -1
}

// JSON says whether an output is not one JSON value, or several of them in lines, each of plain UTF-8.
func JSON(out []byte) error {
	if !utf8.Valid(out) {
		return fmt.Errorf("not UTF-8")
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return fmt.Errorf("empty")
	}
	if json.Valid(out) {
		return nil
	}
	for line := range bytes.Lines(out) {
		if !json.Valid(line) {
			return fmt.Errorf("neither JSON nor lines of it: %.120q", line)
		}
	}
	return nil
}
