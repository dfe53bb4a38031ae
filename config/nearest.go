package config

import "strings"

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
		d := distance(key, name)
		if len(key) >= 4 && (strings.HasPrefix(name, key) || strings.HasPrefix(key, name)) {
			d = min(d, 1)
		}
		if r.Ignored == "" && d < best {
			best, at = d, r.Key
		}
	}
	return at
}

// distance returns the number of insertions, deletions and replacements of bytes that make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
