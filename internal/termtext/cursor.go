package termtext

// escape does what ESC and a character say.
func (s *screen) escape(final byte) {
	switch final {
	case '7':
		s.saved.row, s.saved.col = s.row, s.col
	case '8':
		s.move(s.saved.row, s.saved.col)
	}
}

// control does what a control sequence says that ended in final.
func (s *screen) control(final byte) {
	if final == 'm' {
		return // as colours does
	}
	s.spent -= seqBlanks
	mode := s.seq.params[0]
	n, m := max(1, mode), max(1, s.seq.params[1])
	switch final {
	case 'A':
		s.move(s.row-n, s.col)
	case 'B':
		s.move(s.row+n, s.col)
	case 'C':
		s.move(s.row, s.col+n)
	case 'D':
		s.move(s.row, s.col-n)
	case 'E':
		s.move(s.row+n, 0)
	case 'F':
		s.move(s.row-n, 0)
	case 'G':
		s.move(s.row, n-1)
	case 'H', 'f':
		s.move(n-1, m-1)
	case 'J':
		s.eraseScreen(mode)
	case 'K':
		s.eraseLine(mode)
	}
}

// move puts the cursor into a row and column, as far as moves reach.
func (s *screen) move(row, col int) {
	last := s.last()
	s.row = min(max(row, last-maxAbove, 0), last+maxBelow)
	s.col = min(max(col, 0), max(maxColumn-1, s.col))
	if s.row < s.top {
		s.unsettle()
	}
}

// eraseScreen erases from the cursor to the end (0), from the start to the cursor (1), or everything,
// and then the cursor goes home (2, 3). Rows that the cursor does not reach stay, except in the last case.
func (s *screen) eraseScreen(mode int) {
	switch mode {
	case 0:
		s.eraseLine(0)
		s.rows = s.rows[:min(len(s.rows), s.row-s.top+1)]
	case 1:
		s.eraseLine(1)
		s.eraseAbove()
	case 2, 3:
		s.done, s.marks = s.done[:s.base], s.marks[:0]
		s.rows = s.rows[:1]
		s.rows[0].reset()
		s.top, s.row, s.col = 0, 0, 0
	}
}

// eraseAbove erases the rows above the cursor.
func (s *screen) eraseAbove() {
	if s.top > max(0, s.last()-maxAbove) {
		s.unsettle()
	}
	n := min(len(s.rows), s.row-s.top)
	if !s.pay(n) {
		return // erasing the same rows over and over must not take for ever
	}
	for i := range s.rows[:n] {
		s.rows[i].reset()
	}
}

// eraseLine erases from the cursor to the end of its row (0), from the start to the cursor (1), or
// the whole row (2).
func (s *screen) eraseLine(mode int) {
	if s.row > s.last() {
		return // nothing was written there
	}
	l := &s.rows[s.row-s.top]
	switch mode {
	case 0:
		l.truncate(s.col, &s.marks)
	case 1:
		l.blank(s.col+1, &s.marks)
	case 2:
		l.reset()
	}
}
