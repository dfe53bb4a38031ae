package words

import (
	"bytes"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Key returns text in the form in which texts are compared: NFKC with case folding, as Unicode defines both. It is the
// same for "é" in either form, for "ＡＰＩ" and "api", for "ﬁ" and "fi", and for "Straße" and "STRASSE". Accents count,
// and so does the dot of Turkish letters: "I" and "i" are one, "ı" and "İ" are letters of their own.
//
// A key is for comparing only. Its lengths are not those of the text, so that no position in it means anything.
func Key(text string) string {
	plain := true
	for i := range len(text) {
		if c := text[i]; isUpper(c) || c >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		return text
	}
	var f folder
	return string(f.fold([]byte(composed(text))))
}

// composed returns text in Normalization Form KC: itself if it is, as nearly all text.
func composed(text string) string {
	if norm.NFKC.QuickSpanString(text) == len(text) {
		return text
	}
	return norm.NFKC.String(text)
}

// folder folds case. Its zero value is ready.
type folder struct {
	caser       *cases.Caser // made for the first text that is not ASCII
	buf, normed []byte       // reused
}

// fold returns text, which is composed, with its case folded, in a buffer that is valid until the next call.
func (f *folder) fold(text []byte) []byte {
	f.buf = f.buf[:0]
	for _, c := range text {
		switch {
		case c >= 0x80:
			return f.foldAll(text)
		case isUpper(c):
			f.buf = append(f.buf, c+'a'-'A')
		default:
			f.buf = append(f.buf, c)
		}
	}
	return f.buf
}

// foldAll is fold for text that is not ASCII. Folding may take characters apart: they are composed again.
func (f *folder) foldAll(text []byte) []byte {
	if f.caser == nil {
		caser := cases.Fold()
		f.caser = &caser
	}
	if bytes.IndexByte(text, 0xe1) >= 0 || bytes.IndexByte(text, 0xea) >= 0 { // how Cherokee begins, among others
		text = bytes.Map(upperCherokee, text)
	}
	const most = 3 // times as long as a text its folded form can be
	if need := most * len(text); cap(f.buf) < need {
		f.buf = make([]byte, need)
	}
	n, _, err := f.caser.Transform(f.buf[:cap(f.buf)], text, true)
	if err != nil { // the bound above is wrong
		return norm.NFKC.Bytes(f.caser.Bytes(text))
	}
	f.buf = f.buf[:n]
	if bytes.Equal(f.buf, text) || norm.NFKC.QuickSpan(f.buf) == n {
		return f.buf
	}
	f.normed = norm.NFKC.Append(f.normed[:0], f.buf...)
	return f.normed
}

// upperCherokee makes the letters capitals that cases.Fold turns around: it makes small letters of these capitals, as
// Unicode wants, and capitals of the small letters.
func upperCherokee(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToUpper(r)
	}
	return r
}

// Form is a text in another Unicode form.
type Form struct{ Name, Text string }

// Forms returns a text in those Unicode forms in which it has other bytes: the letters with their accents, apart from
// them, and also without compatibility characters.
func Forms(text string) (out []Form) {
	for i, f := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC} {
		if other := f.String(text); other != text {
			out = append(out, Form{[]string{"NFC", "NFD", "NFKC"}[i], other})
		}
	}
	return out
}
