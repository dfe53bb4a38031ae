package redact

import (
	"bytes"

	"ctxledger.dev/internal/pattern"
)

// The marks around a private key in PEM or OpenPGP armour.
var (
	keyBegin = pattern.Lazy(`^-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----`)
	keyEnd   = pattern.Lazy(`^-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----`)
	keyField = pattern.Lazy(`(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): `)
)

// privateKey is the kind of all that follows.
const privateKey = "private-key"

// dashes are what every mark of a block begins with.
const dashes = "-----"

// keyAfterBegin finds the private key whose first mark is at text[at]: in lines, in one line, escaped for JSON,
// in a list of strings, with whatever a tool puts before a line, and cut short.
func keyAfterBegin(text []byte, at, _ int) []stretch {
	m := keyBegin().FindIndex(text[at:min(at+window, len(text))])
	if m == nil {
		return nil
	}
	w := keyWalk{text: text[:min(at+maxWindow, len(text))]}
	w.pieces = []stretch{{at, at + m[1], at, at + m[1]}}
	return w.down(at + m[1])
}

// keyWithoutBegin finds the private key whose first line of base64 has a literal at text[at]: that of a structure
// which only private keys have.
func keyWithoutBegin(text []byte, at, _ int) []stretch {
	const deepest = 24 // bytes before the literal
	lo := at
	for lo > 0 && inKey(text[lo-1]) {
		if lo--; at-lo > deepest {
			return nil
		}
	}
	lo = afterEscape(text, lo)
	for lo < at && (text[lo] == '+' || text[lo] == '-') {
		lo++ // of a diff
	}
	if !keyStart().Match(text[lo:min(lo+48, len(text))]) {
		return nil
	}
	w := keyWalk{text: text[:min(lo+maxWindow, len(text))]}
	return w.down(lo)
}

// keyStart matches how private keys begin: of RSA and DSA, in PKCS #8 (plain and encrypted), of elliptic curves, of
// OpenSSH.
var keyStart = pattern.Lazy(`^(?:MII[A-Z][A-Za-z0-9+/][AQgw]IB(?:AAK[BC]|ADANBgkq)|MII[A-Z][A-Za-z0-9+/]{4}BgkqhkiG9w0BBQ` +
	`|MI[GH][A-Za-z0-9]AgEAMBAGByqGSM49|MI[GH][A-Za-z0-9]AgEAMBMGByqGSM49|MC4CAQAwBQYDK2Vw|MHcCAQEEI|MIGkAgEBBD|MIHcAgEBBE|b3BlbnNzaC1rZXktdj)`)

// keyStarts are the literals in these.
var keyStarts = lits("IBAAK", "IBADANBgkq", "BgkqhkiG9w0BBQ", "AgEAMBAGByqGSM49", "AgEAMBMGByqGSM49",
	"MC4CAQAwBQYDK2Vw", "MHcCAQEEI", "MIGkAgEBBD", "MIHcAgEBBE",
	"b3BlbnNzaC1rZXktdj")

// keyWalk collects a key line by line.
type keyWalk struct {
	text   []byte
	pieces []stretch // quotation marks part them
	body   bool      // whether there was a line of base64
}

// down collects the lines from an offset on and returns the pieces of the key, if it is one.
func (w *keyWalk) down(at int) []stretch {
	const blank = 2 // lines without base64 in one place
	for skipped := 0; at < len(w.text) && skipped <= blank; skipped++ {
		l := lineAt(w.text, at)
		if touchesMask(w.text, l.from, l.to) {
			break
		}
		if mark := bytes.Index(w.text[at:l.to], []byte(dashes)); mark >= 0 {
			w.last(l, at+mark)
			break
		}
		b := bodyOf(w.text, l)
		if b.key() {
			w.add(b.from, b.to)
			skipped = -1
		} else if !w.belongs(b, l) && !(w.body && isLast(w.text, l)) {
			w.rest(l)
			break
		}
		at = l.next
	}
	if !w.body {
		return nil
	}
	return w.pieces
}

// belongs reports whether a line that is none of a key for certain may be in one: a field, an empty line, the
// short last line of the base64.
func (w *keyWalk) belongs(b body, l line) bool {
	if b.size == 0 || !w.body && keyField().Match(w.text[l.from:l.to]) {
		return true
	}
	if !w.body || !b.plain {
		return false
	}
	if l.to == len(w.text) || isQuote(w.text[l.to-1]) { // cut short here
		w.add(b.from, b.to)
	}
	return true
}

// rest adds what begins a line behind lines of the key, where something cut the key and other words follow it.
func (w *keyWalk) rest(l line) {
	const least = 8 // bytes; no secret is left in fewer
	from := l.from
	for from < l.to && !inKey(w.text[from]) {
		from++
	}
	to := from
	for to < l.to && inKey(w.text[to]) {
		to++
	}
	if w.body && to-from >= least && isMixed(w.text[from:to]) {
		w.add(from, to)
	}
}

// isLast reports whether the mark of a key's end is in the line after a line.
func isLast(text []byte, l line) bool {
	next := lineAt(text, l.next)
	mark := bytes.Index(text[next.from:next.to], []byte(dashes+"END "))
	return mark >= 0 && keyEnd().Match(text[next.from+mark:next.to])
}

// last ends a key at the line that has the mark of an end at an offset, and base64 in front of it, perhaps.
func (w *keyWalk) last(l line, mark int) {
	b := bodyOf(w.text, line{l.from, mark, mark})
	for mark+len(dashes) < l.to && w.text[mark+len(dashes)] == '-' {
		mark++ // of a diff
	}
	if b.key() {
		w.add(b.from, b.to)
	}
	if m := keyEnd().FindIndex(w.text[mark:]); m != nil && w.body {
		w.add(mark, mark+m[1])
	}
}

// add adds text[from:to] to the newest piece, or begins one behind quotation marks.
func (w *keyWalk) add(from, to int) {
	w.body = true
	if n := len(w.pieces); n > 0 && !bytes.ContainsAny(w.text[w.pieces[n-1].end:from], "\"'`") {
		w.pieces[n-1].end, w.pieces[n-1].hi = to, to
		return
	}
	if n := len(w.pieces); n == 1 && bytes.HasPrefix(w.text[w.pieces[0].start:], []byte(dashes)) {
		w.pieces = w.pieces[:0] // the first mark alone is no secret
	}
	w.pieces = append(w.pieces, stretch{from, to, from, to})
}

// keyBeforeEnd finds the private key whose last mark is at text[at], and whose first one is missing.
func keyBeforeEnd(text []byte, at, _ int) []stretch {
	m := keyEnd().FindIndex(text[at:min(at+window, len(text))])
	if m == nil {
		return nil
	}
	least := max(at+m[1]-maxWindow, 0)
	if other := bytes.LastIndex(text[least:at], []byte(dashes)); other >= 0 {
		least += other + len(dashes)
	}
	start := at
	const short = 2 // lines between two of the key, or before its end: the rest of the base64, a checksum
	for end, skipped := at, 0; end > least && skipped <= short; {
		l := lineBefore(text, end, least)
		b := bodyOf(text, l)
		if touchesMask(text, l.from, end) || !b.key() && b.size > 0 && start < at {
			break
		}
		if skipped++; b.key() {
			start, skipped = b.from, 0
		}
		end = l.from
	}
	if start == at {
		return nil
	}
	w := keyWalk{text: text[:at+m[1]]}
	return w.down(start)
}
