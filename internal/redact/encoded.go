package redact

import "encoding/base64"

// Bounds of base64 runs that are looked into. A shorter one holds no secret worth the name, a longer one is
// an image or an archive.
const (
	minRun = 40
	maxRun = 8 << 10
)

// encoded adds the secrets that stand in base64 inside the text.
func (s *ruleset) encoded(spans []span, text []byte) []span {
	for i := minRun - 1; i < len(text); {
		if !inBase64(text[i]) {
			i += minRun
			continue
		}
		lo, hi := run(text, i)
		if n := hi - lo; n >= minRun && n <= maxRun {
			spans = s.decoded(spans, text, lo, hi)
		}
		i = hi + minRun
	}
	return spans
}

// run returns the borders of the base64 run around text[i], no farther than what is looked into.
func run(text []byte, i int) (lo, hi int) {
	for lo = i; lo > 0 && i-lo <= maxRun && inBase64(text[lo-1]); {
		lo--
	}
	for hi = i + 1; hi < len(text) && inBase64(text[hi]); {
		hi++
	}
	return lo, hi
}

// decoded adds the secrets of one run. The run may begin with other characters, such as the slash of a
// path, so every alignment that gives plain text is read.
func (s *ruleset) decoded(spans []span, text []byte, lo, hi int) []span {
	encoding := base64.RawStdEncoding
	for _, c := range text[lo:hi] {
		if c == '-' || c == '_' {
			encoding = base64.RawURLEncoding
			break
		}
	}
	for shift := range 4 {
		from := lo + shift
		whole := text[from : from+(hi-from)&^3]
		if rest := (hi - from) % 4; rest > 1 {
			whole = text[from:hi]
		}
		plain := make([]byte, encoding.DecodedLen(len(whole)))
		n, err := encoding.Decode(plain, whole)
		if plain = plain[:n]; err != nil || !isText(plain) {
			continue
		}
		for _, f := range s.plain(plain) {
			secret := plain[f.start:f.end]
			f.start, f.end, f.secret = from+f.start*4/3, from+(f.end*4+2)/3, secret
			if !touchesMask(text, lo, hi) {
				spans = append(spans, f)
			}
		}
	}
	return spans
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

func inBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '-' || c == '_' }
