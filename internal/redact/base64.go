package redact

import (
	"bytes"
	"encoding/base64"
)

// Bounds of encoded runs that are looked into, in bytes. A shorter one in base64 holds no secret worth the
// name, a longer one is an image or an archive.
const (
	minRun = 40
	maxRun = 8 << 10
)

// base64 adds the secrets in base64 inside the text. A run has minRun bytes at least, so one of
// every minRun bytes is looked at.
func (s *ruleset) base64(spans []span, text []byte) []span {
	for i := minRun - 1; i < len(text); {
		if !inBase64(text[i]) {
			i += minRun
			continue
		}
		lo, hi := run(text, i, inBase64)
		if key, ok := keyLine(text, lo, hi); ok && !touchesMask(text, key.lo, key.hi) {
			spans = append(spans, span{key.start, key.end, s.key.kind, s.key.order, nil})
		}
		if n := hi - lo; n >= minRun && n <= maxRun {
			spans = s.decoded(spans, text, lo, hi)
		}
		i = hi + minRun
	}
	return spans
}

// run returns the borders of the run around text[i]. It goes back no farther than what is looked into.
func run(text []byte, i int, in func(byte) bool) (lo, hi int) {
	for lo = i; lo > 0 && i-lo <= maxRun && in(text[lo-1]); {
		lo--
	}
	for hi = i + 1; hi < len(text) && in(text[hi]); {
		hi++
	}
	return lo, hi
}

// decoded adds the secrets of one run. It may begin with what does not belong to it, such as the slash of a
// path, so every alignment that gives plain text is read.
func (s *ruleset) decoded(spans []span, text []byte, lo, hi int) []span {
	encoding := base64.RawStdEncoding
	if bytes.IndexByte(text[lo:hi], '-') >= 0 || bytes.IndexByte(text[lo:hi], '_') >= 0 {
		encoding = base64.RawURLEncoding
	}
	for shift := range 4 {
		from := lo + shift
		plain, ok := decode(encoding, text[from:hi])
		if !ok || touchesMask(text, lo, hi) {
			continue
		}
		for _, f := range s.plain(plain, 0) {
			if f.secret == nil {
				f.secret = plain[f.start:f.end]
			}
			f.start, f.end = from+f.start*4/3, from+(f.end*4+2)/3
			spans = append(spans, f)
		}
	}
	return spans
}

// decode returns what p is the base64 form of, if that is text.
func decode(e *base64.Encoding, p []byte) ([]byte, bool) {
	if len(p)%4 == 1 {
		p = p[:len(p)-1] // no encoding ends so: it belongs to what follows
	}
	const glance = 16 // characters that tell nearly always
	var head [glance]byte
	if n, err := e.Decode(head[:], p[:glance]); err != nil || !isText(head[:n]) {
		return nil, false
	}
	plain := make([]byte, e.DecodedLen(len(p)))
	n, err := e.Decode(plain, p)
	return plain[:n], err == nil && isText(plain[:n])
}

// isText reports whether p is printable ASCII.
func isText(p []byte) bool {
	for _, c := range p {
		if (c < ' ' || c > '~') && !isSpace(c) {
			return false
		}
	}
	return true
}

func inBase64(c byte) bool { return inToken(c) || c == '+' || c == '/' }
