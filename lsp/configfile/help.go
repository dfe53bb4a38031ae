package configfile

import (
	"fmt"
	"strings"

	"ctxledger.dev/config"

	"ctxledger.dev/internal/pattern"
)

// A Note is what a hover shows, in Markdown, for the bytes [From,To) of the line.
type Note struct {
	Text     string
	From, To int
}

// Hover says what the key at an offset of a line means; false: there is none.
func Hover(lines []string, n, offset int) (Note, bool) {
	p, ok := locate(lines, n, offset)
	if !ok || p.value {
		return Note{}, false
	}
	r := p.rule()
	if r == nil {
		return Note{}, false
	}
	return Note{describe(r), p.from, p.to}, true
}

// An Item is one completion of the bytes [From,To) of the line.
type Item struct {
	Label    string
	Detail   string // the kind of its value
	Doc      string // in Markdown
	Insert   string
	Value    bool // it is a value, not a key
	From, To int
}

// Complete returns the keys, or the values, that can be written at an offset of a line.
func Complete(lines []string, n, offset int) []Item {
	p, ok := locate(lines, n, offset)
	if !ok {
		return nil
	}
	var items []Item
	if p.value {
		for _, v := range valuesOf(p.rule()) {
			items = append(items, Item{Label: v, Insert: v, Value: true, From: p.from, To: p.to})
		}
		return items
	}
	for _, r := range p.rules() {
		if r.From != "" { // they are read, not recommended
			continue
		}
		items = append(items, Item{Label: r.Key, Detail: kindOf(&r), Doc: describe(&r), Insert: r.Key + ": ",
			From: p.from, To: p.to})
	}
	return items
}

// valuesOf returns the values of a key that can be listed.
func valuesOf(r *config.Rule) []string {
	switch {
	case r == nil:
		return nil
	case r.Kind == config.Bool:
		return []string{"true", "false"}
	default:
		return r.Values
	}
}

// kindOf says what a key's value is.
func kindOf(r *config.Rule) string {
	if r.Unit != "" {
		return r.Kind.String() + ", in " + r.Unit
	}
	return r.Kind.String()
}

// links are those of docs/configuration.md, which an editor cannot follow.
var links = pattern.Lazy(`\[([^\]]+)\]\([^)]*\)`)

// describe returns what a key means.
func describe(r *config.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: %s", r.Key, kindOf(r))
	if len(r.Values) > 0 {
		fmt.Fprintf(&b, " (`%s`)", strings.Join(r.Values, "`, `"))
	}
	if r.Default != "" {
		fmt.Fprintf(&b, ". Default: `%s`", r.Default)
	}
	if r.Doc != "" {
		b.WriteString("\n\n" + links().ReplaceAllString(r.Doc, "$1"))
	}
	if r.From != "" {
		fmt.Fprintf(&b, "\n\nA key of %s", r.From)
	}
	if sets := r.Sets(); sets != "" {
		fmt.Fprintf(&b, "; it sets `%s`", sets)
	}
	if r.Ignored != "" {
		fmt.Fprintf(&b, ". It is ignored: %s", links().ReplaceAllString(r.Ignored, "$1"))
	}
	return b.String()
}
