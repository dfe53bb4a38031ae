package artifacts

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// wider is a selection that may find something where one finds nothing.
type wider struct {
	Selection
	says string
}

// widened returns what is tried where a selection finds nothing: the pattern in all messages, then the longest name in it.
func widened(s Selection) (out []wider) {
	if s.Path != "" {
		s.Path = ""
		out = append(out, wider{s, "without path"})
	}
	if name := nameIn(s.Grep); name != "" {
		s.Grep = "(?i)" + name
		out = append(out, wider{s, "for " + s.Grep})
	}
	return out
}

// minName is how many characters a name in a pattern has that is looked for where the pattern is not found.
const minName = 4

// nameIn returns the longest name in a pattern, if it is worth looking for, or "".
func nameIn(pattern string) (name string) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	for all := []*syntax.Regexp{re}; len(all) > 0; all = all[1:] {
		if all = append(all, all[0].Sub...); all[0].Op != syntax.OpLiteral {
			continue
		}
		for _, word := range strings.FieldsFunc(string(all[0].Rune), notInNames) {
			if len(word) > len(name) {
				name = word
			}
		}
	}
	if len(name) < minName || "(?i)"+name == pattern {
		return ""
	}
	return name
}

func notInNames(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
