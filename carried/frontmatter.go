package carried

import (
	"regexp"
	"strings"

	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/yamldoc"
)

// matter is the front matter of a file, by its keys. Its values are as they are written, whatever type YAML gives them.
type matter map[string]yamldoc.Field

// A mend makes YAML of a line "key: value" of a front matter that is none, as an agent does; "" leaves the line.
type mend func(key, value string) string

// readMatter returns the front matter of a file, where its body begins, and what is wrong with it.
func readMatter(text string, as mend) (m matter, body int, has bool, problems []Problem) {
	m = matter{}
	front, body, has := yamldoc.Front(text)
	if !has {
		if strings.HasPrefix(text, "---\n") || strings.HasPrefix(text, "---\r\n") {
			problems = append(problems, Problem{FrontMatter, "its front matter has no closing ---", Span{0, 3}})
		}
		return m, 0, false, problems
	}
	fields, err := yamldoc.Fields([]byte(front))
	if err != nil {
		if again, mended := yamldoc.Fields([]byte(as.all(front))); mended == nil {
			fields, err = again, nil
		}
	}
	if err != nil {
		problems = append(problems,
			Problem{FrontMatter, "its front matter cannot be read: " + err.Error(), Span{0, body}})
	}
	for _, f := range fields {
		m[f.Key] = f
	}
	return m, body, true, problems
}

// keyed matches a line with a key and a value.
var keyed = pattern.Lazy(`(?m)^([A-Za-z_-]+):[ \t]+(.*\S)[ \t\r]*$`)

// all mends every line of a front matter that needs it.
func (as mend) all(front string) string {
	return keyed().ReplaceAllStringFunc(front, func(line string) string {
		m := keyed().FindStringSubmatch(line)
		if mended := as(m[1], m[2]); mended != "" {
			return mended
		}
		return line
	})
}

// quoting returns the mend of agents that put values into quotes which have what special matches.
func quoting(special func() *regexp.Regexp) mend {
	return func(key, value string) string {
		whole := len(value) > 1 && strings.ContainsRune(`"'`, rune(value[0])) && value[0] == value[len(value)-1]
		if whole || !special().MatchString(value) {
			return ""
		}
		return key + `: "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	}
}

// text returns a value in one line; "" for a list or a mapping.
func (m matter) text(key string) string { return strings.Join(strings.Fields(m.raw(key)), " ") }

// raw returns a value with its lines.
func (m matter) raw(key string) string {
	f, has := m[key]
	if !has {
		return ""
	}
	if _, err := f.Items(); err == nil {
		return "" // a list, or nothing
	}
	_, _, text := f.Value()
	return text
}

// list returns a value that is a list, or a text that at divides.
func (m matter) list(key string, at func(r rune) bool) (out []string) {
	f, has := m[key]
	if !has {
		return nil
	}
	items, err := f.Items()
	if err != nil {
		return fields(m.raw(key), at)
	}
	for _, item := range items {
		_, _, text := item.Value()
		out = append(out, fields(text, at)...)
	}
	return out
}

// fields divides a text where at holds, but not within brackets.
func fields(text string, at func(r rune) bool) (out []string) {
	depth := 0
	for _, s := range strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		}
		return depth <= 0 && at(r)
	}) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func comma(r rune) bool { return r == ',' }

// isTrue reports whether a value is one that Claude Code takes for yes.
func (m matter) isTrue(key string) bool {
	switch strings.ToLower(m.text(key)) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
