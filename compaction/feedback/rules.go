package feedback

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/pattern"
)

// maxRuled is how many bytes of a text are looked through: what is behind them was hardly written by a person.
const maxRuled = 32 << 10

// Rules returns where a text sets rules for all later work, in order: whole sentences, with the list that one introduces.
func Rules(text string) (all []layout.Span) {
	text = text[:min(len(text), maxRuled)]
	for at := 0; at < len(text); {
		end := at + sentence(text[at:])
		if rule := strings.TrimSpace(text[at:end]); binds(rule) {
			if strings.HasSuffix(rule, ":") || strings.HasSuffix(rule, "：") {
				end += len(inList().FindString(text[end:]))
			}
			whole := strings.TrimLeftFunc(text[at:end], unicode.IsSpace)
			all = append(all, layout.Span{From: end - len(whole), To: end - len(whole) +
				len(strings.TrimRightFunc(whole, unicode.IsSpace))})
		}
		at = end
	}
	return all
}

// inList matches the items of a list.
var inList = pattern.Lazy(`^(\s*([-*•]|\d{1,2}[.)])\s[^\n]*\n?)+`)

// sentence returns how many bytes of a text are its first sentence, with the space behind it. A line ends a sentence, and
// so does a mark before a space if what follows begins no small word; that of an abbreviation does not: "e.g. Foo".
func sentence(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	for i, r := range line {
		switch {
		case strings.ContainsRune("。！？", r):
			return i + utf8.RuneLen(r)
		case !strings.ContainsRune(".!?", r) || r == '.' && abbreviated(line[:i]):
			continue
		}
		rest := strings.TrimLeft(line[i+1:], " ")
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, `"'(*_`+"`"))
		if len(rest) < len(line)-i-1 && !unicode.IsLower(next) {
			return len(line) - len(rest)
		}
	}
	return min(len(line)+1, len(text))
}

// abbreviated reports whether one letter alone stands in front of a full stop, as in "z. B." and "e.g.".
func abbreviated(before string) bool {
	last, n := utf8.DecodeLastRuneInString(before)
	earlier, _ := utf8.DecodeLastRuneInString(before[:len(before)-n])
	return unicode.IsLetter(last) && !unicode.IsLetter(earlier) && !unicode.IsDigit(earlier)
}
