package records

import (
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/memory"
)

// Scheme is the URI scheme of documents.
const Scheme = "ctxledger"

// Bounds on addresses.
const (
	maxAddress = 4 << 10 // bytes
	maxID      = 64      // digits: a part of a hash, or the number of a change
	maxTitle   = 30      // characters of the name of a tab
)

// hexDigits are the digits of ids.
const hexDigits = "0123456789abcdef"

// extension is the file extension of documents written here.
const extension = ".md"

// Address names the record that a document shows. As a URI it is
//
//	ctxledger:/session/ID/TITLE, …/artifact/ID/TITLE, …/change/ID/TITLE, …/before/ID/TITLE, …/after/ID/TITLE,
//	…/summary/ID/TITLE, …/summary/ID.md or …/memory/SCOPE/NAME.md
type Address struct {
	Kind  Kind         // KindSession, KindSummary, KindArtifact, KindMemory, KindChange, KindBefore or KindAfter
	ID    string       // of a memory: its name
	Scope memory.Scope // of a memory
	Title string       // of the tab, not part of the name; "" for memories
}

// Parse parses an address in the spelling of String or of an editor. Errors: invalid, with the reason.
func Parse(uri string) (Address, error) {
	if len(uri) > maxAddress {
		return Address{}, notAddress(uri, "it is too long")
	}
	scheme, rest, _ := strings.Cut(uri, ":")
	if !strings.EqualFold(scheme, Scheme) {
		return Address{}, notAddress(uri, "its scheme is not "+Scheme)
	}
	rest = strings.TrimPrefix(rest, "//") // an empty authority
	if strings.ContainsAny(rest, "?#") {
		return Address{}, notAddress(uri, "it has a query or a fragment")
	}
	rest, err := url.PathUnescape(rest)
	if err != nil || !utf8.ValidString(rest) {
		return Address{}, notAddress(uri, "its escapes are invalid")
	}
	rest, rooted := strings.CutPrefix(rest, "/")
	kind, rest, _ := strings.Cut(rest, "/")
	a := Address{Kind: Kind(kind)}
	if !rooted || !a.take(rest) {
		return Address{}, notAddress(uri, "it names no session, summary, artifact, memory or change")
	}
	return a, nil
}

func notAddress(uri, why string) error {
	return fault.New(fault.Invalid, "records.address", "%.1000q is not a ledger address: %s", uri, why)
}

// take parses the part after the kind. It reports whether the address is valid.
func (a *Address) take(rest string) (ok bool) {
	switch a.Kind {
	case KindSession, KindArtifact:
		a.ID, a.Title, _ = strings.Cut(rest, "/")
		return isDigits(a.ID, hexDigits)
	case KindChange, KindBefore, KindAfter:
		a.ID, a.Title, _ = strings.Cut(rest, "/")
		return isDigits(a.ID, "0123456789")
	case KindSummary:
		if a.ID, a.Title, ok = strings.Cut(rest, "/"); !ok {
			a.ID, ok = strings.CutSuffix(rest, extension)
		}
		return ok && isDigits(a.ID, hexDigits)
	case KindMemory:
		scope, name, _ := strings.Cut(rest, "/")
		a.Scope = memory.Scope(scope)
		a.ID, ok = strings.CutSuffix(name, extension)
		return ok && a.ID != "" && (a.Scope == memory.Project || a.Scope == memory.User)
	}
	return false
}

// isDigits reports whether s is an id of the given digits.
func isDigits(s, digits string) bool {
	return s != "" && len(s) <= maxID && strings.Trim(s, digits) == ""
}

// String returns the address as a URI, spelled as VS Code does.
func (a Address) String() string {
	parts := []string{string(a.Kind), a.ID + extension}
	switch {
	case a.Kind == KindMemory:
		parts = []string{string(a.Kind), string(a.Scope), a.ID + extension}
	case a.Title != "":
		parts = []string{string(a.Kind), a.ID, a.Title}
	case a.Kind != KindSummary:
		parts = []string{string(a.Kind), a.ID}
	}
	return Scheme + ":/" + escape(strings.Join(parts, "/"))
}

// escape percent-encodes everything except letters, digits, slashes and -._~.
func escape(s string) string {
	const plain, hex = "/-._~", "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// segment makes text a segment of a path.
var segment = strings.NewReplacer(": ", " ", ":", "-", "/", "-", `\`, "-")

// tab returns the name of a tab: a text without path separators, and an extension.
func tab(text, ext string) string {
	text = segment.Replace(flat(text))
	text = strings.Trim(cutWords(text, maxTitle), " .")
	if text == "" {
		text = "untitled"
	}
	return text + ext
}

// fileTab returns the name of a tab for a file: with its extension, by which an editor knows the language.
func fileTab(name string) string {
	if ext := path.Ext(name); ext != name && isExtension(ext) {
		return tab(strings.TrimSuffix(name, ext), ext)
	}
	return tab(name, "")
}

// extensionOf returns the extension of the file in an artifact's hint, else .txt.
func extensionOf(hint string) string {
	_, file, _ := strings.Cut(hint, "path=")
	if ext := path.Ext(file); isExtension(ext) {
		return ext
	}
	return ".txt"
}

// isExtension reports whether an extension is short and plain.
func isExtension(ext string) bool {
	return len(ext) > 1 && len(ext) <= 8 && strings.Trim(ext[1:],
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}
