package artifacts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/limits"
)

// readGrep shows the lines that match a pattern, as grep -n does: "12:" before a match, "13-" before a line around one, "--"
// between stretches. It reads the whole content, to say how many matches there are. A line over limits.Line is searched in
// pieces of that length. Where the page has room for all matches, it shows more of long lines, up to wideLine characters, and
// with Fill more lines around matches than Context, up to mostBehind; else minExcerpt of long lines.
//
// In a content of several messages the newest come first. Path leaves out those whose heading does not name it, and a match
// that repeats a line of a message above it on the page names that line, "12:(as line 30)"; lines around it that are the same
// there are left out. Where nothing matches, all messages are searched, then for the longest name in the pattern, and Range
// says so.
func readGrep(c Content, s Selection) (Page, error) {
	m, err := messagesOf(c)
	if err != nil {
		return Page{}, err
	}
	if s.Path != "" && !m.several {
		return Page{}, bad(`grep="panic"`, "path=%q selects messages of a session, and this is one text", s.Path)
	}
	g, err := grepAll(c, s, m)
	if err != nil {
		return Page{}, err
	}
	instead := ""
	for _, wider := range widened(s) {
		if g.matches > 0 {
			break
		}
		if g, err = grepAll(c, wider.Selection, m); err != nil {
			return Page{}, err
		}
		if g.matches > 0 {
			s, instead = wider.Selection, "0 matches; "+wider.says+": "
		}
	}
	shown := g.page.shown(g.matches)
	if m.several && g.matches > 1 {
		instead += "newest first: "
	}
	p := Page{Text: shown.text, Range: instead + nOf("match", "matches", g.skipped, shown.matches, g.matches)}
	if shown.full {
		s.After = shown.last
		p.Next = &s
	}
	return p, nil
}

// grepAll takes all lines of a content: twice, where long lines match and the page has room for more of them, or for not all
// matches.
func grepAll(c Content, s Selection, m messages) (*grep, error) {
	re, err := regexp.Compile(s.Grep)
	if err != nil {
		_, why, _ := strings.Cut(err.Error(), "error parsing regexp: ")
		return nil, bad(`grep="error|panic"`, "grep=%q is not an RE2 regular expression (no look-around, no back "+
			"references): %s", s.Grep, why)
	}
	limit := max(s.Limit, minRows)
	begin := grep{re: re, path: []byte(s.Path), after: s.After, page: newPage(s, limit)}
	begin.wide = begin.page.width()
	g := begin
	if err = g.read(c, m); err != nil {
		return nil, err
	}
	asked := g.page.at(0)
	room := limit - asked.chars - 2*maxMark*asked.cut
	switch {
	case asked.cut > 0 && asked.full:
		begin.wide = min(g.wide, minExcerpt)
	case asked.cut > 0 && room >= asked.cut:
		begin.wide = min(g.wide+room/asked.cut, wideLine)
	default:
		return &g, nil
	}
	g = begin
	err = g.read(c, m)
	return &g, err
}

// grep finds matching lines, and counts them.
type grep struct {
	re    *regexp.Regexp
	path  []byte // in the headings of messages that are searched
	after int64  // earlier pages ended with this line
	wide  int    // characters of a long line around a match: with its prefix and the marks of a cut it fits the page
	page  page

	repeated repeats // in a content of several messages
	matched  int64   // newest line that matched
	matches  int     // lines that matched
	skipped  int     // of them, on earlier pages
}

// wideLine is how many characters of a long line are shown around a match where few lines match: about 1,000 tokens.
const wideLine = 4000

// maxHeading is how many characters of a heading are shown before a match.
const maxHeading = 160

// read takes all lines of a content.
func (g *grep) read(c Content, m messages) error {
	at := m.with(g.after)
	for i, of := range m.stretches {
		earlier := int64(0) // lines of this message up to this one are on earlier pages
		switch {
		case i < at:
			earlier = math.MaxInt64
		case i == at:
			earlier = g.after
		}
		if err := g.message(c, of, m.several, earlier); err != nil {
			return err
		}
	}
	return nil
}

// message takes the lines of a message, or of a content that is not several.
func (g *grep) message(c Content, of stretch, several bool, earlier int64) error {
	lines, err := linesOf(c, of, limits.Line)
	if err != nil {
		return err
	}
	for begun := false; ; begun = true {
		piece, first, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case begun:
		case several && !bytes.Contains(piece, g.path):
			return nil
		case several:
			g.repeated.begin()
			g.page.begin(of.first, shorten(visible(headingOf(piece)), maxHeading), earlier)
		default:
			g.page.begin(of.first, "", earlier)
		}
		g.line(lines.line, piece, first)
	}
}

// line takes the next line, or a further piece of an overlong one.
func (g *grep) line(n int64, text []byte, first bool) {
	if !first && g.matched == n {
		return // found already
	}
	all := g.re.FindAllIndex(text, maxExcerpts)
	switch {
	case all != nil:
		g.match(n, text, all)
	case !first:
	case g.page.follows() && g.repeated.follows(text):
		g.page.leave()
	default:
		g.page.add(n, shorten(visible(text), min(g.wide, g.page.width())))
	}
}

// match takes a line that matches.
func (g *grep) match(n int64, text []byte, all [][]int) {
	g.matched = n
	if g.matches++; g.page.earlier >= n {
		g.skipped++
	}
	earlier, same := g.repeated.of(n, text, g.page.above(n))
	if earlier > 0 {
		g.page.match(n, fmt.Sprintf("(as line %d)", earlier), false, !same)
		return
	}
	shown := excerpts(text, all, g.wide)
	g.page.match(n, shown, utf8.RuneCountInString(shown) != utf8.RuneCount(text), true)
}
