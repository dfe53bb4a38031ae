package transcript

import "strings"

const (
	minName = 3   // bytes: shorter ones say nothing
	maxName = 100 // bytes
	minHex  = 7   // digits of a hexadecimal id: an abbreviated commit
)

// errnos are the operating systems' error names that logs show.
var errnos = setOf("EACCES EADDRINUSE EAGAIN EBADF EBUSY ECONNABORTED ECONNREFUSED ECONNRESET EEXIST " +
	"EHOSTUNREACH EINTR " +
	"EINVAL EISDIR EMFILE ENFILE ENOENT ENOMEM ENOSPC ENOTDIR ENOTEMPTY ENOTFOUND EPERM EPIPE EROFS ETIMEDOUT EXDEV")

// shape is what the characters of a word show.
type shape struct {
	upper, lower, digits, unders, dots int
	humps                              bool // an upper-case letter behind a lower-case one
	hex                                bool
	other                              bool
}

func shapeOf(w string) shape {
	s := shape{hex: true}
	for i := range len(w) {
		c := w[i]
		switch {
		case isDigit(c):
			s.digits++
		case 'a' <= c && c <= 'z':
			s.lower++
		case 'A' <= c && c <= 'Z':
			s.humps = s.humps || i > 0 && 'a' <= w[i-1] && w[i-1] <= 'z'
			s.upper++
		case c == '_':
			s.unders++
		case c == '.':
			s.dots++
		default:
			s.other = true
		}
		s.hex = s.hex && isHex(c)
	}
	// JSONParser has no hump behind a lower-case letter, but one in front of it.
	s.humps = s.humps || s.upper > 1 && s.lower > 1 && s.unders+s.dots == 0
	return s
}

// isName reports whether a word is an identifier worth keeping: CamelCase, snake_case, dotted.names,
// SCREAMING_CASE, error codes and hexadecimal ids, but not plain words and numbers.
func isName(w string) bool {
	if len(w) < minName || len(w) > maxName {
		return false
	}
	s := shapeOf(w)
	if strings.HasPrefix(w, "0x") {
		return len(w) > 3 && shapeOf(w[2:]).hex
	}
	switch {
	case s.other:
		return false
	case s.hex && s.digits > 0 && (s.upper > 0) != (s.lower > 0) && len(w) >= minHex:
		return true
	case s.dots > 0:
		return dottedName(w)
	case isDigit(w[0]):
		return false
	case s.unders > 0:
		return s.upper+s.lower > 1 && strings.Trim(w, "_") != "" && strings.Contains(strings.Trim(w, "_"), "_")
	case s.lower == 0:
		return errnos[w] || errorCode(w)
	}
	return s.humps
}

// errorCode reports whether a word has the shape of TS2304, E0308, SA1019: letters, then digits.
func errorCode(w string) bool {
	letters := strings.IndexFunc(w, func(r rune) bool { return '0' <= r && r <= '9' })
	if letters < 1 || letters > 5 || len(w)-letters < 3 || len(w)-letters > 6 {
		return false
	}
	for i := letters; i < len(w); i++ {
		if !isDigit(w[i]) {
			return false
		}
	}
	return true
}

// dottedName reports whether a word is a.b.c with identifiers between the dots, at least one of them
// longer than a letter.
func dottedName(w string) bool {
	long := false
	for part := range strings.SplitSeq(w, ".") {
		if part == "" || isDigit(part[0]) {
			return false
		}
		long = long || len(part) > 1
	}
	return long
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
