package tokens

import (
	"fmt"
	"strconv"
	"strings"

	"ctxledger.dev/internal/fault"
)

// Model is what is known of a model, or of all models whose names start with Name. What is not
// known is zero.
type Model struct {
	// Name is a model's name as bareName leaves it, or the start of one that ends where a word ends.
	Name string
	// Encoding is the model's own, if it comes with the program. Counts are then exact.
	Encoding *Encoding
	// Family is what the model is estimated by when Encoding is nil.
	Family Family

	Window int   // tokens of context
	Output int   // tokens that one answer may have
	Price  Price // list price, for requests of the usual length and speed
	Search Rate  // dollars for a thousand searches of the web
	Terms  []Term

	own bool // Window is the user's own: it was given to Registry.With
}

// Limits of a model's entry: beyond everything that exists, and short enough to print.
const (
	maxName   = 200         // bytes of a name
	maxTokens = 100_000_000 // of a window
)

// check says what is wrong with an entry. Errors: invalid, naming the model, the field and the limit.
func (m Model) check() error {
	wrong := func(field, format string, args ...any) error {
		return fault.New(fault.Invalid, "tokens.model", "model %.1000q: %s: %s", m.Name, field,
			fmt.Sprintf(format, args...))
	}
	switch {
	case m.Name == "":
		return wrong("name", "it is empty")
	case len(m.Name) > maxName:
		return wrong("name", "it has %d bytes, more than the limit of %d", len(m.Name), maxName)
	case m.Window < 0 || m.Window > maxTokens:
		return wrong("window", "%d tokens are not between 1 and %d", m.Window, maxTokens)
	case m.Output < 0 || m.Output > maxTokens:
		return wrong("output", "%d tokens are not between 1 and %d", m.Output, maxTokens)
	case m.Window > 0 && m.Output > m.Window:
		return wrong("output", "%d tokens are more than the window of %d", m.Output, m.Window)
	case int(m.Family) >= len(priors):
		return wrong("family", "unknown family %d", m.Family)
	}
	return nil
}

// over returns m with what it leaves open taken from base. An encoding and a family are one answer to one
// question: a configuration that gives one gives both.
func (m Model) over(base Model) Model {
	if m.Encoding == nil && m.Family == unknownFamily {
		m.Encoding, m.Family = base.Encoding, base.Family
	}
	m.own = true
	if m.Window == 0 {
		m.Window, m.own = base.Window, base.own
	}
	if m.Output == 0 {
		m.Output = base.Output
		if m.own { // an answer has to fit the window, which is smaller than that of base
			m.Output = min(m.Output, m.Window)
		}
	}
	if m.Price == (Price{}) {
		m.Price = base.Price
	}
	m.Search, m.Terms = base.Search, base.Terms
	return m
}

// bareName returns a model's name in lower case and without what routers and clouds put in
// front of it: "us.anthropic.claude-…", "openai/gpt-…", "ft:gpt-…". The versions of Claude are
// spelled with hyphens.
func bareName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.TrimPrefix(name, "ft:")
	if _, after, ok := strings.Cut(name, "anthropic."); ok {
		name = after
	}
	if strings.HasPrefix(name, "claude-") {
		name = strings.ReplaceAll(name, ".", "-") // routers write 4.5 where the vendor writes 4-5
	}
	return name
}

// hasWordPrefix reports whether name starts with prefix and the prefix does not end inside a
// word or a version number: "gpt-4" is no prefix of "gpt-4o" and "gpt-4.1", nor "claude-opus-4" of "claude-opus-4-9", which
// may have another price. A date may follow, and the first minor version, 0.
func hasWordPrefix(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok || rest == "" {
		return ok
	}
	if last := prefix[len(prefix)-1]; last == '-' || last == '.' {
		return true
	}
	if last := prefix[len(prefix)-1]; '0' <= last && last <= '9' && rest[0] == '-' {
		minor := rest[1:]
		if end := strings.IndexAny(minor, "-@[:"); end >= 0 {
			minor = minor[:end]
		}
		if n, err := strconv.Atoi(minor); err == nil && len(minor) < 3 && n > 0 {
			return false
		}
	}
	next := rest[0]
	return next != '.' && !('0' <= next && next <= '9') && !('a' <= next && next <= 'z')
}
