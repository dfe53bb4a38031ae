package config

import (
	"strings"

	"ctxledger.dev/internal/words"
)

// holding returns the keys among rules that have a key below them.
func holding(key string, rules []Rule) (in []string) {
	for _, r := range rules {
		if r.Kind == Mapping && r.From == "" && r.Ignored == "" && Find(r.Rules, key) != nil {
			in = append(in, r.Key)
		}
	}
	return in
}

// nearest returns the key among rules that is most like a misspelled one; "" if none is.
func nearest(key string, rules []Rule) string {
	const longest = 64 // no key is longer
	key = fold(key)
	if len(key) > longest {
		return ""
	}
	best, at := len(key)/2, "" // more than half has to be right
	for _, r := range rules {
		name := fold(r.Key)
		d := words.Distance(key, name)
		if len(key) >= 4 && (strings.HasPrefix(name, key) || strings.HasPrefix(key, name)) {
			d = min(d, 1)
		}
		if r.Ignored == "" && d < best {
			best, at = d, r.Key
		}
	}
	return at
}
