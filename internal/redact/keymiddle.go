package redact

import "bytes"

// keyLine finds a line from the middle of a private key, whose first and last marks are missing: a run of base64 as
// wide as PEM or OpenSSH makes it, next to another one, and in no block that says that it is something else.
func keyLine(text []byte, lo, hi int) (stretch, bool) {
	if hi-lo < pemWidth || hi-lo > sshWidth+maxKeyMark {
		return stretch{}, false
	}
	if lo = keyRun(text, lo, hi); hi-lo != pemWidth && hi-lo != sshWidth {
		return stretch{}, false
	}
	if !isDense(text[lo:hi]) || bytes.ContainsAny(text[lo:hi], "-_") {
		return stretch{}, false
	}
	if isRepeated(text, lo, hi) {
		return stretch{}, false
	}
	above, top, ok := linesAbove(text, lo, hi-lo)
	if !ok {
		return stretch{}, false
	}
	below, end, ok := linesBelow(text, hi, hi-lo)
	return stretch{lo, hi, top, end}, ok && above+below > 0
}

// Widths of the lines of a key, in bytes.
const (
	pemWidth = 64
	sshWidth = 70

	maxKeyMark = 8 // of what is in front of them
)

// keyRun returns where a line of a key begins in a run: behind the second half of an escape, and the mark of a diff
// or of a number, as in 12-MII….
func keyRun(text []byte, lo, hi int) int {
	if lo > 0 && text[lo-1] == '\\' {
		lo++
	}
	if dash := bytes.IndexByte(text[lo:min(lo+maxKeyMark, hi)], '-'); dash >= 0 {
		return lo + dash + 1
	}
	if n := hi - lo; (n == pemWidth+1 || n == sshWidth+1) && text[lo] == '+' {
		lo++
	}
	return lo
}

// maxKeyLines is how far above and below a line the others of its key may be, in bytes: as far as it is known what
// precedes a secret.
const maxKeyLines = maxRun

// linesAbove counts the lines of a key above text[at], and returns where the line above them begins. It reports false
// if that is the mark of something else than a private key, or if there are too many.
func linesAbove(text []byte, at, width int) (n, top int, ok bool) {
	least := max(at-maxKeyLines, 0)
	for end := lineBefore(text, at+1, least).from; ; n++ {
		l := lineBefore(text, end, least)
		if l.from == least && least > 0 {
			return n, least, false
		}
		if l.from == end || !ofWidth(text, l, width) {
			return n, l.from, !isOtherMark(text[l.from:l.to])
		}
		end = l.from
	}
}

// linesBelow does the same below text[at].
func linesBelow(text []byte, at, width int) (n, end int, ok bool) {
	most := min(at+maxKeyLines, len(text))
	for next := lineAt(text[:most], at).next; ; n++ {
		l := lineAt(text[:most], next)
		if l.to == most && most < len(text) {
			return n, most, false
		}
		if l.from == most || !ofWidth(text, l, width) {
			// a short line may be the last one
			if after := lineAt(text[:most], l.next); !isOtherMark(text[l.from:l.to]) && l.next < most {
				l = after
			}
			return n, l.to, !isOtherMark(text[l.from:l.to])
		}
		next = l.next
	}
}

// ofWidth reports whether a line has a run of base64 of a width.
func ofWidth(text []byte, l line, width int) bool {
	b := bodyOf(text, l)
	return b.size == width && b.dense
}

// isRepeated reports whether the line above or below has the same run: no key has a line twice, but JSON may have a path of
// this width in two fields.
func isRepeated(text []byte, lo, hi int) bool {
	least := max(lo-maxKeyLines, 0)
	above := lineBefore(text, lineBefore(text, lo+1, least).from, least)
	below := lineAt(text, lineAt(text, hi).next)
	run := text[lo:hi]
	return bytes.Contains(text[above.from:above.to], run) || bytes.Contains(text[below.from:below.to], run)
}

// isOtherMark reports whether a line holds a mark of a block that is no private key.
func isOtherMark(line []byte) bool {
	return bytes.Contains(line, []byte(dashes)) && !bytes.Contains(line, []byte("PRIVATE KEY"))
}
