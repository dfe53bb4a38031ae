package chars

import "ctxledger.dev/internal/pattern"

// Echo is how many characters of a quoted input a message repeats.
const Echo = 120

// longQuote matches a quoted string of more than Echo characters, as %q writes it, up to its closing quote.
var longQuote = pattern.Lazy(`("(?:[^"\\]|\\.){120})(?:[^"\\]|\\.)+"`)

// ShortQuotes cuts the quoted strings of a message after Echo characters. Mask secrets first: the cut may part one.
func ShortQuotes(message string) string { return longQuote().ReplaceAllString(message, `$1…"`) }
