package termtext

import "bytes"

// Characters that begin and end sequences.
const (
	esc = 0x1b
	bel = 0x07
	can = 0x18 // ends any sequence
	sub = 0x1a // the same
)

// sequence reads control sequences as ECMA-48 writes them, byte by byte: nothing of them is kept but
// two numbers.
type sequence struct {
	state   seqState
	params  [2]int // the first two numbers; 0: not given
	index   int    // the parameter that is being read
	private bool   // it has bytes to which we give no meaning
}

// seqState says which part of a sequence the next byte belongs to.
type seqState uint8

const (
	ground  seqState = iota // none
	begun                   // ESC
	nested                  // ESC and intermediate bytes
	csi                     // ESC [
	command                 // ESC ]: up to BEL or ST
	opaque                  // the string of a DCS, SOS, PM or APC: up to ST
)

// verdict says what a byte is in a sequence.
type verdict uint8

const (
	inside  verdict = iota // part of it, or its end without an effect
	escaped                // the end of ESC and one character
	control                // the end of a control sequence
	stray                  // no part of it: the sequence is over without an effect
)

// maxParam bounds a number, so that it can be calculated with.
const maxParam = 1 << 20

// start begins a sequence: its ESC was read.
func (q *sequence) start() { *q = sequence{state: begun} }

// read takes what follows in a sequence, at most up to its end, and says how many bytes that was and
// how it ended. A byte that does not belong to it ends it, and is left.
func (q *sequence) read(p []byte) (int, verdict) {
	for i, b := range p {
		v := q.next(b)
		if v == stray {
			return i, inside
		}
		if q.state == ground {
			return i + 1, v
		}
	}
	return len(p), inside
}

// pass goes over a text, in and out of sequences.
func (q *sequence) pass(p []byte) {
	for len(p) > 0 {
		if q.state != ground {
			n, _ := q.read(p)
			p = p[n:]
			continue
		}
		n := bytes.IndexByte(p, esc)
		if n < 0 {
			return
		}
		q.start()
		p = p[n+1:]
	}
}

// next takes the byte that follows in a sequence.
func (q *sequence) next(b byte) verdict {
	if b == esc {
		q.start() // "ESC \" ends strings this way
		return inside
	}
	switch q.state {
	case begun:
		return q.second(b)
	case nested:
		return q.end(b, inside)
	case csi:
		return q.param(b)
	case command:
		if b == bel || b == can || b == sub {
			q.state = ground
		}
	case opaque:
		if b == can || b == sub {
			q.state = ground
		}
	}
	return inside
}

// second takes the byte behind ESC, which says what sequence it is.
func (q *sequence) second(b byte) verdict {
	switch b {
	case '[':
		q.state = csi
	case ']':
		q.state = command
	case 'P', 'X', '^', '_':
		q.state = opaque
	default:
		q.state = nested
		return q.end(b, escaped)
	}
	return inside
}

// end takes an intermediate byte, or the final one, which then has the given meaning.
func (q *sequence) end(b byte, final verdict) verdict {
	switch {
	case b >= 0x20 && b <= 0x2f:
		return inside
	case b >= 0x30 && b <= 0x7e:
		q.state = ground
		return final
	}
	q.state = ground
	return stray
}

// param takes a byte behind ESC [.
func (q *sequence) param(b byte) verdict {
	switch {
	case b >= '0' && b <= '9':
		if q.index < len(q.params) {
			q.params[q.index] = min(q.params[q.index]*10+int(b-'0'), maxParam)
		}
	case b == ';':
		q.index++
	case b >= 0x20 && b <= 0x3f:
		q.private = true
	case b >= 0x40 && b <= 0x7e:
		q.state = ground
		if q.private {
			return inside
		}
		return control
	default:
		q.state = ground
		return stray
	}
	return inside
}
