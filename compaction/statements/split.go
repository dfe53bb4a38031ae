package statements

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of one text, in bytes: what is longer is no sentence that a person wrote.
const (
	maxText  = 200_000 // of a message that is looked at
	maxPiece = 900
	minPiece = 12
	longLine = 240 // a line up to this length is one statement, even if it has several sentences
	maxList  = 500 // of a list that is one statement: a part of its items would mislead
	maxCode  = 400 // of a code block that is kept as one statement
)

// kind is the form of a piece of Markdown.
type kind int

const (
	sentence kind = iota
	heading
	item
	row
	code
)

// piece is one statement of a message, verbatim, in its place.
type piece struct {
	text string
	kind kind
	lead int // the piece of the same message without which this one says little; -1: none
}

// splitter walks the lines of one message.
type splitter struct {
	out    []piece
	lead   int   // the heading or the introduction ("Two reasons:") of what follows; -1: none
	header int   // the header row of the table that is open; -1: none
	before int   // the sentence before, in the same paragraph; -1: none
	intros []int // the introductions
	title  int   // the heading, or the line in bold letters, that what follows belongs to; -1: none
}

// split returns the statements of a message: sentences, list items, table rows, short code blocks, and the headings
// and introductions that others need.
func split(text string) []piece {
	s := splitter{lead: -1, header: -1, before: -1, title: -1}
	text = text[:min(len(text), maxText)]
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		if fence := fenceOf(line); fence != "" {
			block, after := cutFence(text, fence)
			s.code(block)
			text = after
			continue
		}
		s.line(strings.TrimSpace(line))
		text = rest
	}
	s.settle()
	return s.out
}

// fenceOf returns the characters that open a code block, "" if a line does not.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t>")
	for _, f := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, f) {
			return f
		}
	}
	return ""
}

// cutFence returns the code block that a text begins with, and what follows it.
func cutFence(text, fence string) (block, after string) {
	_, body, _ := strings.Cut(text, "\n")
	for rest := body; rest != ""; {
		line, next, _ := strings.Cut(rest, "\n")
		if strings.HasPrefix(strings.TrimLeft(line, " \t>"), fence) {
			return body[:len(body)-len(rest)], next
		}
		rest = next
	}
	return body, ""
}

func (s *splitter) add(p piece) int {
	s.out = append(s.out, p)
	return len(s.out) - 1
}

// code adds a short code block as one statement of the sentence before it.
func (s *splitter) code(block string) {
	block = strings.TrimSpace(block)
	if len(block) >= minPiece && len(block) <= maxCode && strings.Count(block, "\n") < 8 {
		lead := s.before
		if lead < 0 {
			lead = s.lead
		}
		s.add(piece{text: strings.Join(strings.Fields(block), " "), kind: code, lead: lead})
	}
}

// line adds the statements of one line.
func (s *splitter) line(line string) {
	switch {
	case line == "":
		s.before, s.header = -1, -1
	case isRule(line):
		s.before, s.title = -1, -1
	case line[0] == '#':
		s.title = s.add(piece{text: line, kind: heading, lead: -1})
		s.lead, s.before, s.header = s.title, -1, -1
	case line[0] == '|':
		s.row(line)
	case introduces(line):
		s.introduction(line)
	case isItem(line):
		s.item(line)
	case isTitle(line):
		s.title = s.add(piece{text: line, kind: sentence, lead: -1})
		s.lead, s.before = s.title, s.title
	default:
		s.prose(line)
	}
}

// introduction adds a line that ends by announcing what follows: its last sentence leads that, the sentences before it
// are statements. "The cache is cleared too early. Let me fix it:" announces nothing but work.
func (s *splitter) introduction(line string) {
	parts := sentencesOf(line)
	last := parts[len(parts)-1]
	if said := strings.TrimSpace(line[:len(line)-len(last)]); said != "" {
		s.prose(said)
		if isAnnouncement(last) {
			s.lead, s.before = s.before, -1
			return
		}
	}
	s.lead, s.before = s.add(piece{text: last, kind: heading, lead: -1}), -1
	s.intros = append(s.intros, s.lead)
}

// settle makes statements of the introductions that nothing follows.
func (s *splitter) settle() {
	leads := make(map[int]bool)
	for _, p := range s.out {
		leads[p.lead] = true
	}
	for _, i := range s.intros {
		if !leads[i] {
			s.out[i].kind = sentence
		}
	}
}

// item adds an item of a list, to the items before it if they are short.
func (s *splitter) item(line string) {
	if last := len(s.out) - 1; last >= 0 && last == s.before && s.out[last].kind == item &&
		len(s.out[last].text)+len(line) < maxList {
		s.out[last].text += "\n" + line
		return
	}
	s.before = s.add(piece{text: line, kind: item, lead: s.lead})
}

// row adds a row of a table under its header.
func (s *splitter) row(line string) {
	if s.header < 0 {
		s.header = s.add(piece{text: line, kind: heading, lead: s.lead})
		return
	}
	s.add(piece{text: line, kind: row, lead: s.header})
}

// prose adds the sentences of a line. One that refers to the sentence before it needs that one; a place in the code and
// a labelled part ("**Fix:** …") need the title that they belong to.
func (s *splitter) prose(line string) {
	if s.before < 0 {
		s.lead = -1 // a paragraph of its own
	}
	parts := sentencesOf(line)
	if len(line) <= longLine {
		parts = []string{withoutAnnouncements(line, parts)}
	}
	for _, text := range parts {
		lead := -1
		switch {
		case s.before >= 0 && refersBack(text) && s.out[s.before].kind == sentence:
			lead = s.before
		case s.title >= 0 && (isPlace(text) || isLabelled(text)):
			lead = s.title
		}
		s.before = s.add(piece{text: text, kind: sentence, lead: lead})
	}
}

// withoutAnnouncements returns a line of several sentences without those at its ends that only say what the agent does
// next; if they all do, the whole line.
func withoutAnnouncements(line string, sentences []string) string {
	if len(sentences) == 1 {
		return line
	}
	from, to := 0, len(sentences)
	for from < to && isAnnouncement(sentences[from]) {
		from++
	}
	for from < to && isAnnouncement(sentences[to-1]) {
		to--
	}
	if from == to || to-from == len(sentences) {
		return line
	}
	begin := strings.Index(line, sentences[from])
	end := strings.LastIndex(line, sentences[to-1]) + len(sentences[to-1])
	return line[begin:end]
}

// sentencesOf splits a line of prose after the marks that end a sentence, in any script. A period inside of a name or
// a number ends none.
func sentencesOf(line string) []string {
	var out []string
	start := 0
	for i, r := range line {
		wide := false
		switch r {
		case '.', '!', '?':
		case '。', '！', '？', '．':
			wide = true
		default:
			continue
		}
		end := i + utf8.RuneLen(r)
		for end < len(line) && strings.ContainsRune("\"'”’)*`」』", firstRune(line[end:])) {
			end += utf8.RuneLen(firstRune(line[end:]))
		}
		if !wide && (end >= len(line) || line[end] != ' ' || !begins(line[end+1:])) {
			continue
		}
		if end-start >= minPiece {
			out = append(out, strings.TrimSpace(line[start:end]))
			start = end
		}
	}
	if rest := strings.TrimSpace(line[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// begins reports whether a text may begin a sentence: with a capital letter, a letter of a script that has none, a
// digit, or a mark.
func begins(s string) bool {
	r := firstRune(s)
	return !unicode.IsLower(r)
}

// introduces reports whether a line announces what follows it, as "Two reasons:" does.
func introduces(line string) bool {
	line = strings.TrimRight(line, "*_ ")
	return len(line) <= longLine && (strings.HasSuffix(line, ":") || strings.HasSuffix(line, "："))
}

// isTitle recognises a line in bold letters, such as the name of a finding in a review, or of an option: "**1. Keep them**
// (revert)".
func isTitle(line string) bool {
	rest, ok := bold(line)
	for more := ok; more; { // "**Option 1** ✅ **best fit**"
		var after string
		if after, more = bold(strings.TrimLeftFunc(rest, isSign)); more {
			rest = after
		}
	}
	rest = strings.TrimSpace(rest)
	return ok && (strings.HasPrefix(rest, "(") && strings.HasSuffix(rest, ")") || strings.TrimFunc(rest, isSign) == "")
}

// isSign recognises what is neither a word nor opens bold letters.
func isSign(r rune) bool { return unicode.IsSpace(r) || unicode.IsSymbol(r) }

// isLabelled recognises a line that begins with a label in bold letters, such as "**Fix:** use the other one".
func isLabelled(line string) bool {
	rest, ok := bold(line)
	label := line[:len(line)-len(rest)]
	return ok && rest != "" && (strings.HasSuffix(label, ":**") || rest[0] == ':')
}

// bold returns what follows the bold letters that a line begins with.
func bold(line string) (rest string, ok bool) {
	line, ok = strings.CutPrefix(line, "**")
	if !ok {
		return "", false
	}
	inner, rest, ok := strings.Cut(line, "**")
	return rest, ok && inner != ""
}

// isPlace recognises a line that names a place in the code and says nothing else: nine tenths of it are code spans.
func isPlace(line string) bool {
	total, inside := 0, 0
	for i, span := range strings.Split(line, "`") {
		n := len(strings.TrimSpace(span))
		total += n
		if i%2 == 1 {
			inside += n
		}
	}
	return inside > 0 && inside*10 >= total*9
}

// isItem recognises an item of a list.
func isItem(line string) bool {
	if rest, ok := cutAny(line, "- ", "* ", "• ", "+ "); ok {
		return rest != ""
	}
	digits := strings.TrimLeft(line, "0123456789")
	return len(digits) < len(line) && len(line)-len(digits) <= 3 && (strings.HasPrefix(digits, ". ") ||
		strings.HasPrefix(digits, ") "))
}

func cutAny(s string, prefixes ...string) (string, bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return s, false
}

// isRule recognises lines without words: rules, and the second line of a table.
func isRule(line string) bool {
	return !strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
