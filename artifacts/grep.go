package artifacts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"

	"ctxledger.dev/internal/limits"
)

// readGrep shows the lines that match a pattern, as grep -n does: "12:" before a match, "13-" before a line around one, "--"
// between stretches. It reads the whole content, to say how many matches there are. A line over limits.Line is searched in
// pieces of that length. Of a long line it shows the part around the match: up to wideLine characters where the page has room.
//
// In a content of several messages, Path leaves out those whose heading does not name it, and a match that repeats a line of
// an earlier message names that line, "12:(as line 3)"; lines around it that are the same there are left out. Where nothing
// matches, all messages are searched, then for the longest name in the pattern, and Range says so.
func readGrep(c Content, s Selection) (Page, error) {
	g, err := grepAll(c, s)
	if err != nil {
		return Page{}, err
	}
	if s.Path != "" && g.repeated.number == 0 {
		return Page{}, bad(`grep="panic"`, "path=%q selects messages of a session, and this is one text", s.Path)
	}
	instead := ""
	for _, wider := range widened(s) {
		if g.matches > 0 {
			break
		}
		if g, err = grepAll(c, wider.Selection); err != nil {
			return Page{}, err
		}
		if g.matches > 0 {
			s, instead = wider.Selection, "0 matches; "+wider.says+": "
		}
	}
	p := Page{Text: g.out.String(), Range: instead + nOf("match", "matches", g.skipped, g.shown, g.matches)}
	if g.full {
		s.After = g.last
		p.Next = &s
	}
	return p, nil
}

// wider is a selection that may find something where one finds nothing.
type wider struct {
	Selection
	says string
}

// widened returns what is tried where a selection finds nothing: the pattern in all messages, then the longest name in it.
func widened(s Selection) (out []wider) {
	if s.Path != "" {
		s.Path = ""
		out = append(out, wider{s, "without path"})
	}
	if name := nameIn(s.Grep); name != "" {
		s.Grep = "(?i)" + name
		out = append(out, wider{s, "for " + s.Grep})
	}
	return out
}

// grepAll takes all lines of a content: twice, where few long lines match and the page has room for more of them.
func grepAll(c Content, s Selection) (*grep, error) {
	re, err := regexp.Compile(s.Grep)
	if err != nil {
		_, why, _ := strings.Cut(err.Error(), "error parsing regexp: ")
		return nil, bad(`grep="error|panic"`, "grep=%q is not an RE2 regular expression (no look-around, no back "+
			"references): %s", s.Grep, why)
	}
	begin := grep{re: re, path: []byte(s.Path), context: int64(s.Context), after: s.After, limit: max(s.Limit, minRows)}
	begin.wide = begin.width()
	g := begin
	err = g.read(c)
	if room := g.limit - g.chars - 2*maxMark*g.cut; err == nil && !g.full && g.cut > 0 && room >= g.cut {
		begin.wide = min(g.wide+room/g.cut, wideLine)
		g = begin
		err = g.read(c)
	}
	return &g, err
}

// read takes all lines of a content.
func (g *grep) read(c Content) error {
	for lines := newLineReader(c, limits.Line); ; {
		piece, first, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h := headingOf(piece); h != nil && first {
			g.message(lines.line, h)
		}
		if !g.elsewhere {
			g.line(lines.line, piece, first)
		}
	}
}

// message begins the next message of a content of several.
func (g *grep) message(n int64, heading []byte) {
	g.heading, g.above = shorten(visible(heading), maxHeading), n
	g.repeated.begin()
	if g.elsewhere = !bytes.Contains(heading, g.path); g.elsewhere {
		g.before, g.due = g.before[:0], 0
	}
}

// nameIn returns the longest name in a pattern, if it is worth looking for, or "".
func nameIn(pattern string) (name string) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	for all := []*syntax.Regexp{re}; len(all) > 0; all = all[1:] {
		if all = append(all, all[0].Sub...); all[0].Op != syntax.OpLiteral {
			continue
		}
		for _, word := range strings.FieldsFunc(string(all[0].Rune), notInNames) {
			if len(word) > len(name) {
				name = word
			}
		}
	}
	if len(name) < minName || "(?i)"+name == pattern {
		return ""
	}
	return name
}

func notInNames(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// grep collects matching lines until the page is full, and counts on.
type grep struct {
	re      *regexp.Regexp
	path    []byte // in the headings of messages that are searched
	context int64  // lines shown around a match
	after   int64  // lines up to this one count, but are not shown
	limit   int    // characters
	wide    int    // characters of a long line around a match: with its prefix and the marks of a cut it fits the page

	out   strings.Builder
	chars int   // of out
	full  bool  // a line did not fit: nothing more is shown
	last  int64 // newest line that is shown, or was before

	elsewhere bool // whether the message at hand is not searched

	repeated repeats // in a content of several messages
	heading  string  // of the message at hand, in a content of several, if no line of that is shown yet
	above    int64   // its line

	before  []numbered // the lines that a match would bring along
	due     int64      // lines that the match before still brings along
	matched int64      // newest line that matched
	matches int        // lines that matched
	skipped int        // of them, up to after
	shown   int        // of them, in out
	cut     int        // of those, longer than what is shown of them
}

// wideLine is how many characters of a long line are shown around a match where few lines match: about 1,000 tokens.
const wideLine = 4000

// maxBefore is how many lines before a match are shown at most: what one asks many lines for is a definition or an answer, which
// comes behind it.
const maxBefore = 10

// minName is how many characters a name in a pattern has that is looked for where the pattern is not found.
const minName = 4

// maxHeading is how many characters of a heading are shown before a match.
const maxHeading = 160

type numbered struct {
	n    int64
	text string
}

// line takes the next line, or a further piece of an overlong one.
func (g *grep) line(n int64, text []byte, first bool) {
	if !first && g.matched == n {
		return // found already
	}
	all := g.re.FindAllIndex(text, maxExcerpts)
	switch {
	case all != nil:
		g.matched = n
		g.matches++
		earlier, same := g.repeated.of(n, text, g.before)
		for _, b := range g.before {
			if b.n < n && !same { // not the beginning of this line, when it matched further on
				g.show(b.n, '-', b.text)
			}
		}
		g.before, g.due = g.before[:0], g.context
		if earlier > 0 {
			g.match(n, fmt.Sprintf("(as line %d)", earlier), false)
			return
		}
		shown := excerpts(text, all, g.wide)
		g.match(n, shown, len(shown) != len(visible(text)))
	case !first || g.context == 0:
	case g.due > 0 && g.repeated.follows(text):
		g.due--
	case g.due > 0:
		g.due--
		g.show(n, '-', shorten(visible(text), g.width()))
	default:
		if int64(len(g.before)) == min(g.context, maxBefore) {
			g.before = append(g.before[:0], g.before[1:]...)
		}
		g.before = append(g.before, numbered{n, shorten(visible(text), g.width())})
	}
}

// match shows a matching line, of which something may have been cut, and counts whether it is shown.
func (g *grep) match(n int64, text string, cut bool) {
	if n <= g.after {
		g.skipped++
	}
	if n <= g.after || g.full {
		g.show(n, ':', "")
		return
	}
	if g.show(n, ':', text); g.full {
		return
	}
	if g.shown++; cut {
		g.cut++
	}
}

// show adds a line to the page, with a separator when lines are missing before it.
func (g *grep) show(n int64, kind byte, text string) {
	if n <= g.after {
		g.last = n
	}
	if n <= g.after || g.full {
		return
	}
	row := fmt.Sprintf("%d%c%s\n", n, kind, text)
	if g.heading != "" && n > g.above {
		named := fmt.Sprintf("%d-%s\n", g.above, g.heading) + row
		if g.chars+utf8.RuneCountInString(named) <= g.limit {
			row = named
		}
	}
	if g.context > 0 && g.out.Len() > 0 && n != g.last+1 {
		row = "--\n" + row
	}
	if g.chars += utf8.RuneCountInString(row); g.chars > g.limit {
		g.full = true
		return
	}
	g.out.WriteString(row)
	g.last, g.heading = n, ""
}

// width is how many characters of a line around a match are shown: with its prefix and the mark of a cut it always fits the
// page.
func (g *grep) width() int { return min(previewLine, g.limit-minRows/2) }

// excerpts returns a matching line, or, when it is longer than width characters, the parts around its first matches: fewer,
// where they would be shorter than minExcerpt.
func excerpts(line []byte, all [][]int, width int) string {
	if len(line) <= width || utf8.RuneCount(line) <= width {
		return visible(line)
	}
	all = all[:min(len(all), max(1, width/minExcerpt))]
	each := (width - (len(all)-1)*maxMark) / len(all) // with the marks between the parts
	var out strings.Builder
	from, missing := 0, 0
	for i, at := range all {
		until := len(line)
		if i+1 < len(all) { // half of the way to the next one
			until = max(at[1], from+wholeChars(line[from:], (at[1]+all[i+1][0])/2-from))
		}
		before, shown, behind := excerpt(line[from:until], at[0]-from, each)
		out.WriteString(cutMark(missing+before) + shown)
		from, missing = until, behind
	}
	return out.String() + cutMark(missing)
}

// Around each of several matches in a long line at least so many characters are shown, and of so many matches at most.
const (
	minExcerpt  = 300
	maxExcerpts = wideLine / minExcerpt
	maxMark     = 24 // characters of a mark of a cut
)

// excerpt returns width characters of a part of a line around the match that begins at a byte, a third of them before it, and
// how many characters of the part are missing on both sides.
func excerpt(part []byte, at, width int) (before int, shown string, behind int) {
	above, rest := visible(part[:at]), visible(part[at:])
	lead := suffix(above, width/3)
	body := prefix(rest, width-utf8.RuneCountInString(lead))
	if len(body) == len(rest) { // the match is near the end: show more of what is before it
		lead = suffix(above, width-utf8.RuneCountInString(body))
	}
	return utf8.RuneCountInString(above[:len(above)-len(lead)]), lead + body, utf8.RuneCountInString(rest[len(body):])
}
