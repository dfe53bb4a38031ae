package redact

import "bytes"

// percent adds the secrets in percent encoding inside the text, as in URLs and forms.
func (s *ruleset) percent(spans []span, text []byte) []span {
	for i := 0; i < len(text); {
		next := bytes.IndexByte(text[i:], '%')
		if next < 0 {
			break
		}
		if i += next; !isPercent(text[i:]) {
			i++
			continue
		}
		lo, hi := run(text, i, inPercent)
		if hi-lo <= maxRun && !touchesMask(text, lo, hi) {
			spans = s.unescaped(spans, text, lo, hi, '+')
			if bytes.IndexByte(text[lo:hi], '+') >= 0 {
				spans = s.unescaped(spans, text, lo, hi, ' ')
			}
		}
		i = hi
	}
	return spans
}

// unescaped adds the secrets of one run, in which a plus sign is itself or a space.
func (s *ruleset) unescaped(spans []span, text []byte, lo, hi int, plus byte) []span {
	plain := make([]byte, 0, hi-lo)
	at := make([]int, 0, hi-lo+1) // at[i]: where plain[i] is in text
	for i := lo; i < hi; i++ {
		c := text[i]
		at = append(at, i)
		switch {
		case isPercent(text[i:hi]):
			c = hexDigit(text[i+1])<<4 | hexDigit(text[i+2])
			i += 2
		case c == '+':
			c = plus
		}
		plain = append(plain, c)
	}
	at = append(at, hi)
	for _, f := range s.plain(plain, 0) {
		if f.secret == nil {
			f.secret = plain[f.start:f.end]
		}
		f.start, f.end = at[f.start], at[f.end]
		spans = append(spans, f)
	}
	return spans
}

// isPercent reports whether p begins with a percent sign and two hex digits.
func isPercent(p []byte) bool {
	return len(p) >= 3 && p[0] == '%' && isHex(p[1]) && isHex(p[2])
}

// inPercent reports whether c may be in percent-encoded text.
func inPercent(c byte) bool {
	return c > ' ' && c <= '~' && bytes.IndexByte([]byte("\"'\\<>`[]{}&|"), c) < 0
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= lower(c) && lower(c) <= 'f' }

// hexDigit returns the value of a hex digit.
func hexDigit(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return lower(c) - 'a' + 10
}
