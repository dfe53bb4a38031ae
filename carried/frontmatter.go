package carried

import (
	"strings"

	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/yamldoc"
)

// matter is the front matter of a file, as far as agents use it.
type matter struct {
	Name        any `yaml:"name"`
	Description any `yaml:"description"`
	Paths       any `yaml:"paths"`
	Globs       any `yaml:"globs"`
	ApplyTo     any `yaml:"applyTo"`
	AlwaysApply any `yaml:"alwaysApply"`
	Tools       any `yaml:"tools"`
	NoModel     any `yaml:"disable-model-invocation"`
}

// readMatter returns the front matter of a file, where its body begins, and what is wrong with it.
func readMatter(text string) (m matter, body int, has bool, problems []Problem) {
	front, body, has := yamldoc.Front(text)
	if !has {
		if strings.HasPrefix(text, "---\n") || strings.HasPrefix(text, "---\r\n") {
			problems = append(problems, Problem{FrontMatter, "its front matter has no end: a line ---", Span{0, 3}})
		}
		return m, 0, false, problems
	}
	front = bareGlob().ReplaceAllString(front, `$1 '$2'`)
	if err := yamldoc.Decode([]byte(front), &m); err != nil {
		problems = append(problems,
			Problem{FrontMatter, "its front matter cannot be read: " + err.Error(), Span{0, body}})
	}
	return m, body, true, problems
}

// bareGlob matches a pattern without quotes that YAML takes for an alias or a tag: agents read it as it is meant.
var bareGlob = pattern.Lazy(`(?m)^((?:globs|applyTo|paths):)[ \t]+([*!{][^'\n]*?)[ \t]*$`)

// text returns a value that should be a text: one in several lines becomes one line.
func text(v any) string {
	s, _ := v.(string)
	return strings.Join(strings.Fields(s), " ")
}

// list returns a value that is a text with commas or a list of texts.
func list(v any) (out []string) {
	switch v := v.(type) {
	case string:
		for s := range strings.SplitSeq(v, ",") {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	case []any:
		for _, item := range v {
			if s := text(item); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

func isTrue(v any) bool { b, _ := v.(bool); return b }
