package termtext

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// model is a terminal as one would write it without a thought of time and memory: a map from places
// to characters, and sequences cut out by one expression. It knows the rules, and no budget of blanks.
type model struct {
	at         map[[2]int]string // "" is the right half of a wide character
	row, col   int
	savedR     int
	savedC     int
	last, cols int // the last row and the number of columns that were ever reached
}

// sequences matches one whole sequence at the beginning of a text, one that runs to its end, or one
// that something else interrupts.
var sequences = regexp.MustCompile(`(?s)^\x1b(?:\[([0-9;]*)([@-~])|\[[0-?]*[ -/]*[0-?]*[@-~]|\[[ -?]*[@-~]|\[[ -?]*` +
	`|\][^\x07\x1b\x18\x1a]*[\x07\x18\x1a]?|[PX^_][^\x1b\x18\x1a]*[\x18\x1a]?|[ -/]+[0-~]?|([0-~])|)`)

func modelRender(text string) string {
	m := model{at: map[[2]int]string{}}
	all, seen := text, 0 // up to the last character that was shown
	for len(text) > 0 {
		if text[0] == '\x1b' {
			g := sequences.FindStringSubmatch(text)
			m.sequence(g[1], g[2], g[3])
			text = text[len(g[0]):]
			continue
		}
		if !utf8.FullRuneInString(text) {
			break
		}
		r, n := utf8.DecodeRuneInString(text)
		m.char(r)
		text = text[n:]
		if r > ' ' && (r < 0x7f || r >= 0xa0) && m.col > 0 {
			seen = len(all) - len(text)
		}
	}
	if shown := m.String(); shown != "" || seen == 0 || all == all[:seen]+"\x00" {
		return shown
	}
	return modelRender(all[:seen] + "\x00") // ends a character that is incomplete
}

func (m *model) char(r rune) {
	switch {
	case r == '\n':
		m.last = max(m.last, m.row+1)
		m.row, m.col = m.row+1, 0
	case r == '\r':
		m.col = 0
	case r == '\b':
		m.col = max(0, m.col-1)
	case r == '\t':
		m.col += 8 - m.col%8
	case r < ' ' || r >= 0x7f && r < 0xa0:
	case r >= 0x80 && width(r) == 0:
		m.last = max(m.last, m.row)
		m.combine(r)
	default:
		w := 1
		if r >= 0x80 {
			w = width(r)
		}
		m.last = max(m.last, m.row)
		m.set(m.row, m.col, string(r))
		if w == 2 {
			m.set(m.row, m.col+1, "")
		}
		m.col += w
	}
}

func (m *model) combine(r rune) {
	if m.col == 0 {
		return
	}
	p := [2]int{m.row, m.col - 1}
	have, there := m.at[p]
	if there && have == "" {
		p[1]--
		have = m.at[p]
	}
	if !there {
		have = " "
	}
	m.at[p] = have + string(r)
	m.cols = max(m.cols, m.col)
}

// set writes one column; the other half of a wide character that loses one becomes a blank.
func (m *model) set(row, col int, s string) {
	if have, there := m.at[[2]int{row, col}]; there && have == "" && s != "" {
		m.at[[2]int{row, col - 1}] = " "
	}
	if next, there := m.at[[2]int{row, col + 1}]; there && next == "" {
		m.at[[2]int{row, col + 1}] = " "
	}
	m.at[[2]int{row, col}] = s
	m.cols = max(m.cols, col+1)
}

// erase makes blanks of what was written where in says so.
func (m *model) erase(in func(row, col int) bool) {
	var places [][2]int
	for p := range m.at {
		if in(p[0], p[1]) {
			places = append(places, p)
		}
	}
	for _, p := range places {
		m.set(p[0], p[1], " ")
	}
}

func (m *model) eraseLine(mode int) {
	m.erase(func(row, col int) bool {
		return row == m.row && (mode == 0 && col >= m.col || mode == 1 && col <= m.col || mode == 2)
	})
}

func (m *model) sequence(params, final, single string) {
	m.single(single)
	if final == "" {
		return
	}
	given := strings.Split(params+";", ";")
	number := func(i int) int {
		n, err := strconv.Atoi(given[i])
		if err != nil && given[i] != "" {
			n = 1 << 20
		}
		return n
	}
	n, second := max(1, number(0)), max(1, number(1))
	switch final {
	case "A":
		m.move(m.row-n, m.col)
	case "B":
		m.move(m.row+n, m.col)
	case "C":
		m.move(m.row, m.col+n)
	case "D":
		m.move(m.row, m.col-n)
	case "E":
		m.move(m.row+n, 0)
	case "F":
		m.move(m.row-n, 0)
	case "G":
		m.move(m.row, n-1)
	case "H", "f":
		m.move(n-1, second-1)
	case "J":
		m.eraseScreen(number(0))
	case "K":
		m.eraseLine(number(0))
	}
}

func (m *model) single(final string) {
	switch final {
	case "7":
		m.savedR, m.savedC = m.row, m.col
	case "8":
		m.move(m.savedR, m.savedC)
	}
}

func (m *model) move(row, col int) {
	m.row = min(max(row, 0), m.last+maxBelow)
	m.col = min(max(col, 0), max(maxColumn-1, m.col))
}

func (m *model) eraseScreen(mode int) {
	switch mode {
	case 0:
		m.eraseLine(0)
		m.erase(func(row, _ int) bool { return row > m.row })
		m.last = min(m.last, m.row)
	case 1:
		m.eraseLine(1)
		m.erase(func(row, _ int) bool { return row < m.row })
	case 2, 3:
		*m = model{at: map[[2]int]string{}, savedR: m.savedR, savedC: m.savedC}
	}
}

func (m *model) String() string {
	var b strings.Builder
	for row := 0; row <= m.last; row++ {
		var line strings.Builder
		for col := range m.cols {
			s, there := m.at[[2]int{row, col}]
			if !there {
				s = " "
			}
			line.WriteString(s)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
