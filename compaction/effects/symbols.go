package effects

import (
	"slices"
	"strings"
	"unicode"
)

// Symbol is a name that a program's text declares.
type Symbol struct {
	Name string
	Kind string // the word that declares it: "func", "class"; "function" or "symbol" where there is none
}

// declaring are the words that declare names, in the order in which they decide.
var declaring = strings.Fields("func function fun fn def class interface struct enum trait type record module namespace " +
	"protocol macro_rules const var let static test it describe table view")

// Symbols lists the names that a text declares, in its order and without repeats, with what they are. Documents and data
// have none.
func Symbols(file, text string) (out []Symbol) {
	m := matcherOf(file, text)
	if m == nil || m.fenced || m.underline || m.outermost {
		return nil
	}
	seen := map[string]bool{}
	for _, d := range declarations(file, text) {
		if seen[d.name] || d.name == "_" || len(out) == maxNames {
			continue
		}
		seen[d.name] = true
		line, _, _ := strings.Cut(text[d.at:], "\n")
		out = append(out, Symbol{d.name, kindIn(line[:min(len(line), maxLine)])})
	}
	return out
}

// kindIn returns what a line declares.
func kindIn(line string) string {
	words := strings.FieldsFunc(line, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) })
	for _, w := range words[:min(len(words), 6)] {
		if slices.Contains(declaring, w) {
			return w
		}
	}
	if strings.Contains(line, "(") {
		return "function"
	}
	return "symbol"
}
