package configfile

import (
	"slices"
	"strings"

	"ctxledger.dev/config"
)

// maxLines is how many lines above a place are looked at: more than a person writes.
const maxLines = 10_000

// A place is where in a text somebody is: at a key, or behind the colon of one.
type place struct {
	keys  []string // the keys around it, from the top
	key   string   // its key, as far as it is written
	value bool     // behind the colon
	word  string   // what is written there
	from  int      // where the word begins in the line, in bytes
	to    int      // and ends
}

// locate finds out where an offset in bytes of a line is. The result is false in a comment.
func locate(lines []string, n, offset int) (place, bool) {
	line := lines[n]
	start, _ := split(line)
	if start = min(start, len(line)); offset < start {
		offset = start
	}
	p := place{keys: around(lines, n, start)}
	return p, p.follow(line, start, min(offset, len(line)))
}

// follow reads a line from its text on up to an offset, also in flow style: "clear: {keep: 2, only".
func (p *place) follow(line string, start, offset int) bool {
	outside, list, from := len(p.keys), 0, start
	for i := start; i < offset; i++ {
		switch c := line[i]; {
		case c == '#' && (i == 0 || line[i-1] == ' '):
			return false
		case c == '[':
			list++
		case c == ']':
			list--
		case list > 0:
		case c == ':' && !p.value:
			p.key, p.value, from = bare(line[from:i]), true, i+1
		case c == '{':
			p.keys = append(p.keys, p.key)
			p.key, p.value, from = "", false, i+1
		case c == '}' && len(p.keys) > outside:
			p.keys = p.keys[:len(p.keys)-1]
			p.value, from = true, i+1
		case c == ',' && len(p.keys) > outside:
			p.key, p.value, from = "", false, i+1
		}
	}
	for from < offset && (line[from] == ' ' || line[from] == '\t') {
		from++
	}
	p.from, p.to = from, offset
	for p.to < len(line) && isWord(line[p.to]) {
		p.to++
	}
	if p.word = bare(line[p.from:p.to]); !p.value {
		p.key = p.word
	}
	return true
}

// rules returns the rules of the keys that the place can have; none where anything goes.
func (p place) rules() []config.Rule {
	rules := config.Rules()
	named := false // the next key is the name of a model
	for i, key := range p.keys {
		if named {
			named = false
			continue
		}
		if i == 0 && config.IsWrapper(key) {
			continue
		}
		r := config.Find(rules, key)
		if r == nil {
			return nil
		}
		rules, named = r.Rules, r.Kind == config.Table
	}
	if named {
		return nil
	}
	return rules
}

// rule returns the rule of the place's key; nil: there is none.
func (p place) rule() *config.Rule { return config.Find(p.rules(), p.key) }

// around returns the keys of the lines above that are indented less and less, from the top.
func around(lines []string, n, indent int) []string {
	var keys []string
	for i := n - 1; i >= 0 && n-i <= maxLines && indent > 0; i-- {
		at, text := split(lines[i])
		if at >= indent || text == "" || text[0] == '#' {
			continue
		}
		indent = at
		if key, rest, is := strings.Cut(text, ":"); is && opens(rest) {
			keys = append(keys, bare(key))
		}
	}
	slices.Reverse(keys)
	return keys
}

// opens reports whether what is behind a key's colon leaves its value to the next lines.
func opens(rest string) bool {
	rest, _, _ = strings.Cut(rest, " #")
	rest = strings.TrimSpace(rest)
	return rest == "" || rest == "{" || rest == "["
}

// split returns where the text of a line begins, behind its indentation and the dash of a list, and the text.
func split(line string) (start int, text string) {
	for start < len(line) {
		if c := line[start]; c != ' ' && c != '\t' && !strings.HasPrefix(line[start:], "- ") {
			break
		}
		start++
	}
	return start, strings.TrimRight(line[start:], " \t\r")
}

// bare returns a key or a word without the quotes and spaces around it.
func bare(s string) string { return strings.Trim(s, " \t\r\"'{}[],") }

func isWord(c byte) bool {
	return c == '_' || c == '-' || c == '"' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
