package effects

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ctxledger.dev/internal/chars"
)

const (
	maxText  = 128 << 10 // bytes of a text that are searched for names
	maxNames = 64        // of a text
	maxName  = 80        // characters
)

// shebangs gives the kinds of files without an extension, by a word of their first line.
var shebangs = [][2]string{{"python", ".py"}, {"node", ".js"}, {"ruby", ".rb"}, {"sh", ".sh"}}

// A matcher is a kind, ready for use.
type matcher struct {
	kind
	re  *regexp.Regexp
	not []string
}

// matchers maps extensions and names of files to functions that compile their kind on first use.
var matchers = sync.OnceValue(func() map[string]func() *matcher {
	all := make(map[string]func() *matcher)
	for _, k := range kinds {
		compiled := sync.OnceValue(func() *matcher {
			text := `(?m)\A(?:` + abbreviations.Replace(strings.Join(k.patterns, "|")) + `)`
			return &matcher{kind: k, re: regexp.MustCompile(text), not: strings.Fields(k.not)}
		})
		for name := range strings.FieldsSeq(k.files) {
			all[name] = compiled
		}
	}
	return all
})

func matcherOf(file, text string) *matcher {
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	for _, name := range []string{base, path.Ext(base), strings.TrimSuffix(base, path.Ext(base))} {
		if m := matchers()[name]; m != nil && name != "" {
			return m()
		}
	}
	if first, _, _ := strings.Cut(text, "\n"); path.Ext(base) == "" && strings.HasPrefix(first, "#!") {
		for _, s := range shebangs {
			if strings.Contains(first, s[0]) {
				return matchers()[s[1]]()
			}
		}
	}
	return nil
}

// A declaration is a name and where the line that declares it begins.
type declaration struct {
	name string
	at   int
}

// maxDeclarations bounds the declarations of a text, repeats included.
const maxDeclarations = 1000

// maxLine bounds what is read of a line, in bytes.
const maxLine = 512

func declarations(file, text string) []declaration {
	m := matcherOf(file, text)
	if m == nil {
		return nil
	}
	text = text[:min(len(text), maxText)]
	var (
		out   []declaration
		least = -1 // indentation
		fence = ""
		next  = 0
	)
	for at := 0; at < len(text) && len(out) < maxDeclarations; at = next {
		line, _, _ := strings.Cut(text[at:], "\n")
		next = at + len(line) + 1
		if m.fenced {
			fence = fenceBehind(fence, strings.TrimSpace(line))
		}
		if m.underline && next < len(text) {
			below, _, _ := strings.Cut(text[next:], "\n")
			line = text[at : next+len(below)]
		}
		name, indent := m.name(line[:min(len(line), maxLine)])
		if name == "" || fence != "" {
			continue
		}
		if m.outermost && (least < 0 || indent < least) {
			least, out = indent, nil
		}
		if !m.outermost || indent == least {
			out = append(out, declaration{name, at})
		}
	}
	return out
}

// name returns the name that a line declares, and in which column it begins.
func (m *matcher) name(line string) (name string, indent int) {
	if start := strings.TrimLeft(line, " \t"); len(start) < 2 || strings.IndexByte("})]", start[0]) >= 0 {
		return "", 0 // most lines end here or soon after: the pattern begins at the start of the line
	}
	at := m.re.FindStringSubmatchIndex(line)
	var groups []string
	for g := 2; g < len(at); g += 2 {
		if at[g] >= 0 {
			if len(groups) == 0 {
				indent = at[g]
			}
			groups = append(groups, line[at[g]:at[g+1]])
		}
	}
	if name = chars.Short(chars.Line(strings.Join(groups, ".")), maxName); slices.Contains(m.not, name) {
		return "", 0
	}
	return name, indent
}

// fenceBehind returns the fence of the block that is open behind a line, given the one before it.
func fenceBehind(open, line string) string {
	switch {
	case open != "" && strings.HasPrefix(line, open):
		return ""
	case open == "" && (strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")):
		return line[:3]
	}
	return open
}
