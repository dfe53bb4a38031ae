package redact

import (
	"bytes"
	"encoding/base64"
	"math"
	"strings"
)

// entropy returns the entropy of p, in bits per byte, from how often each byte occurs in it.
func entropy(p []byte) float64 {
	var count [256]int
	for _, c := range p {
		count[c]++
	}
	var bits float64
	for _, n := range count {
		if n > 0 {
			f := float64(n) / float64(len(p))
			bits -= f * math.Log2(f)
		}
	}
	return bits
}

// plausible reports whether a value may be a secret: neither a word, a name, a path, a reference to where the
// secret is, nor an example's stand-in for one.
func plausible(value []byte, quoted bool) bool {
	const least, glance = 6, 256 // bytes: what is shorter is no secret; of a long one the beginning suffices
	if len(value) < least {
		return false
	}
	if value = value[:min(len(value), glance)]; placeholder(value) {
		return false
	}
	var letters, digits, signs int
	for _, c := range value {
		switch {
		case isAlnum(c) && !isDigit(c):
			letters++
		case isDigit(c):
			digits++
		case c <= ' ' || c > '~':
			return false // prose
		default:
			signs++
		}
	}
	switch {
	case letters == 0 || digits == 0:
		return false
	case quoted:
		return entropy(value) >= 2.5
	default:
		return entropy(value) >= 2.5 && !name(value)
	}
}

// name reports whether an unquoted value is rather a number or the name of something: dk.encryptionKey2. In
// names digits are at the end of a word.
func name(value []byte) bool {
	const word = 18 // bytes of 0x and a number of 64 bits
	if bytes.HasPrefix(value, []byte("0x")) && len(value) <= word {
		return true
	}
	if bytes.IndexByte(value, '.') < 0 || bytes.ContainsAny(value, "!^*~#@%?") {
		return false
	}
	for i, c := range value[1:] {
		if isDigit(value[i]) && isAlnum(c) && !isDigit(c) {
			return false
		}
	}
	for part := range bytes.SplitSeq(value, []byte(".")) {
		if len(part) == 0 || !isAlnum(part[0]) || isDigit(part[0]) {
			return false
		}
	}
	return true
}

// placeholder reports whether a value is a placeholder for a secret: a variable, a format, a path,
// a word from an example.
func placeholder(value []byte) bool {
	switch first, second := value[0], value[1]; first {
	case '<', '{', '[', '(':
		return true
	case '$', '%':
		if !isDigit(second) {
			return true
		}
	case '/', '.', '~':
		if entropy(value) < 4.5 { // a path; a key in base64 may begin so, too
			return true
		}
	}
	s := strings.ToLower(string(value))
	for _, part := range []string{
		"example", "changeme", "change-me", "change_me", "placeholder", "your-", "your_", "yourpass", "dummy",
		"redacted",
		"xxxx", "****", "...", "${", "{{", "$(", "://", "process.env", "os.environ", "getenv",
	} {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// published reports whether a secret is one that documentation published.
func published(secret []byte) bool {
	for _, known := range []string{
		"AKIAIOSFODNN7EXAMPLE", "AKIAI44QH8DHBEXAMPLE", // AWS
		"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
	} {
		if bytes.Equal(secret, []byte(known)) {
			return true
		}
	}
	return false
}

// mixed reports whether a secret has letters and digits.
func mixed(secret []byte) bool {
	return bytes.ContainsAny(secret, "0123456789") &&
		bytes.ContainsFunc(secret, func(r rune) bool { return r > '9' && isAlnum(byte(r)) })
}

// userAndPassword reports whether a secret is the base64 form of user:password.
func userAndPassword(secret []byte) bool {
	encoded := strings.ReplaceAll(string(secret), "%3D", "=")
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
	return err == nil && isText(plain) && bytes.IndexByte(plain, ':') > 0
}

// urlPassword reports whether the password in a URL is more than a word from an example.
func urlPassword(secret []byte) bool {
	return len(secret) >= 6 && !placeholder(secret) && (mixed(secret) || len(secret) >= 12 && entropy(secret) >= 3)
}
