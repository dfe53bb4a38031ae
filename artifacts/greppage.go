package artifacts

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Of a match at most so many lines are shown around it: what one asks many lines for is a definition or an answer, which comes
// behind it. Of those that were not asked for, there is one before it for each leadShare behind it.
const (
	mostBefore = 10
	mostBehind = 40 // but for more that were asked for
	leadShare  = 4
)

// page has the lines that a grep may show. Each has a level: how many lines more than those that were asked for have to be
// shown behind each match, so that it is shown, too.
type page struct {
	context int // lines around each match that were asked for
	limit   int // characters

	rows  []row
	sizes [mostBehind + 1]int // characters of the rows of each level up to most
	total int                 // of sizes
	most  int                 // the highest level that may fit; below 0: not even what was asked for does

	in      *message
	earlier int64 // lines of that up to this one are on earlier pages
	since   int64 // how many lines the newest match of that is behind
	behind  int64 // how many lines behind that match may be shown
}

// row is a line of a page.
type row struct {
	n     int64
	kind  byte // of what is between number and text
	text  string
	level int
	cut   bool // something of a match was cut
	in    *message
}

// message is a message of a content of several.
type message struct {
	line    int64
	heading string // "": the content is not several
}

// hidden is the level of a line that is not shown.
const hidden = math.MaxInt

func newPage(s Selection, limit int) page {
	p := page{context: s.Context, limit: limit}
	if s.Fill {
		p.most = max(0, mostBehind-s.Context)
	}
	return p
}

// begin says that the next message begins.
func (p *page) begin(n int64, heading string, earlier int64) {
	p.in, p.earlier, p.since, p.behind = &message{n, heading}, earlier, 0, 0
}

// width is how many characters of a line around a match are shown: with its prefix and the mark of a cut it always fits the
// page.
func (p *page) width() int { return min(previewLine, p.limit-minRows/2) }

// follows reports whether the next line may be shown as one behind the newest match.
func (p *page) follows() bool { return p.since < p.behind }

// leave leaves the next line out.
func (p *page) leave() { p.since++ }

// add takes the next line, which does not match.
func (p *page) add(n int64, text string) {
	level := hidden
	if p.follows() {
		level = max(0, int(p.since)+1-p.context)
	}
	p.since++
	p.put(row{n: n, kind: '-', text: text, level: level, in: p.in})
}

// above returns the lines in front of one that were asked for.
func (p *page) above(n int64) []row { return p.before(n, min(p.context, mostBefore)) }

// before returns at most so many lines in front of one.
func (p *page) before(n int64, most int) []row {
	end := len(p.rows)
	for end > 0 && p.rows[end-1].n >= n && p.rows[end-1].in == p.in {
		end-- // the beginning of the same line
	}
	at := end
	for at > 0 && end-at < most && p.rows[at-1].in == p.in && p.rows[at-1].n == n-int64(end-at)-1 {
		at--
	}
	return p.rows[at:end]
}

// match takes the next line, which matches. lead is whether lines in front of it are shown as well.
func (p *page) match(n int64, text string, cut, lead bool) {
	if last := len(p.rows) - 1; last >= 0 && p.rows[last].n == n && p.rows[last].in == p.in {
		p.raise(&p.rows[last], hidden) // the beginning of the same line
		p.rows = p.rows[:last]
	}
	before := p.before(n, mostBefore)
	for i := range before {
		if away := len(before) - i; lead {
			p.raise(&before[i], min(before[i].level, max(0, away-p.context)*leadShare))
		}
	}
	p.since, p.behind = 0, int64(p.context)
	if n > p.earlier {
		p.behind = max(p.behind, int64(p.context+p.most))
	}
	p.put(row{n, ':', text, 0, cut, p.in})
}

// put adds a line. Of those that are not shown it keeps the newest, which a match may show.
func (p *page) put(r row) {
	if p.most < 0 {
		return
	}
	level := r.level
	r.level = hidden
	p.rows = append(p.rows, r)
	p.raise(&p.rows[len(p.rows)-1], level)
	if i := len(p.rows) - 1 - mostBefore; i >= 0 && p.rows[i].level > max(p.most, 0) {
		p.rows = slices.Delete(p.rows, i, i+1)
	}
}

// raise gives a line another level, unless it is on an earlier page.
func (p *page) raise(r *row, level int) {
	size := utf8.RuneCountInString(r.text) + len("1:\n")
	if r.level <= p.most {
		p.sizes[r.level] -= size
		p.total -= size
	}
	if r.n <= p.earlier {
		level = hidden
	}
	if r.level = level; level <= p.most {
		p.sizes[level] += size
		p.total += size
	}
	for ; p.total > p.limit && p.most >= 0; p.most-- {
		p.total -= p.sizes[p.most]
	}
}

// shown is what a page shows.
type shown struct {
	text    string
	chars   int
	last    int64 // line
	matches int
	cut     int  // matches of which something was cut
	full    bool // a line did not fit: nothing behind it is shown
}

// shown returns all that was asked for and, as far as that fits, lines around it: mostBehind in all where none were asked for.
func (p *page) shown(matches int) shown {
	most := p.most
	if p.context == 0 {
		most = min(most, mostBehind/max(1, matches))
	}
	for level := most; level > 0; level-- {
		if s := p.at(level); !s.full {
			return s
		}
	}
	return p.at(0)
}

// at returns the lines up to a level, as many as fit, with the heading of each message or a separator where lines are missing.
func (p *page) at(level int) (s shown) {
	var out strings.Builder
	var in *message
	for _, r := range p.rows {
		if r.level > level {
			continue
		}
		text := fmt.Sprintf("%d%c%s\n", r.n, r.kind, r.text)
		named := fmt.Sprintf("%d-%s\n", r.in.line, r.in.heading) + text
		begins := r.in != in && r.in.heading != ""
		switch {
		case begins && r.n > r.in.line && (level > 0 || s.chars+utf8.RuneCountInString(named) <= p.limit):
			text = named
		case !begins && p.context+level > 0 && out.Len() > 0 && r.n != s.last+1:
			text = "--\n" + text
		}
		n := utf8.RuneCountInString(text)
		if s.full = s.chars+n > p.limit; s.full {
			break
		}
		out.WriteString(text)
		s.chars += n
		s.last, in = r.n, r.in
		if r.kind == ':' {
			s.matches++
		}
		if r.cut {
			s.cut++
		}
	}
	s.text = out.String()
	return s
}
