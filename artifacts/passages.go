package artifacts

import (
	"errors"
	"io"
)

// A passage is what search ranks: at most this many lines and bytes. A longer line is taken in
// pieces of its own, which may split a word.
const (
	passageLines = 20
	passageBytes = 2 << 10
)

// passage is a stretch of content.
type passage struct {
	first, last int64 // lines, 1-based, inclusive
	text        []byte
	heading     []byte // of the message that it is from, see Heading
}

// passages calls fn for each passage of c in order. The text is valid during the call.
func passages(c Content, fn func(passage)) error {
	lines := newLineReader(c, passageBytes)
	var p passage
	flush := func() {
		if len(p.text) > 0 {
			fn(p)
		}
		p.text, p.first = p.text[:0], 0
	}
	for {
		piece, _, err := lines.next()
		if errors.Is(err, io.EOF) {
			flush()
			return nil
		}
		if err != nil {
			return err
		}
		heading := headingOf(piece)
		if p.first > 0 && (heading != nil || lines.line >= p.first+passageLines || len(p.text)+len(piece) >= passageBytes) {
			flush()
		}
		if heading != nil {
			p.heading = append(p.heading[:0], heading...)
		}
		if p.first == 0 {
			p.first = lines.line
		}
		p.last = lines.line
		p.text = append(append(p.text, piece...), '\n')
	}
}
