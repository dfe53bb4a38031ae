package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Setting is one setting with the value that is in effect, and where it was set.
type Setting struct {
	Path  string `json:"setting"` // "context.keep.turns"
	Value any    `json:"value"`   // a bool, a number, a text, or a list or mapping of such
	From  Source `json:"-"`       // Source{}: it is the default
	Unit  string `json:"unit,omitempty"`
	zero  string // what 0 means
}

// String returns the value as YAML writes it in a line, or what 0 means.
func (s Setting) String() string {
	if s.zero != "" && (s.Value == 0 || s.Value == 0.0) {
		return s.zero
	}
	switch v := s.Value.(type) {
	case string:
		if v == "" {
			return `""`
		}
		return v
	case []string:
		return "[" + strings.Join(v, ", ") + "]"
	case map[string]int:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, fmt.Sprintf("%s: %d", key, v[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return fmt.Sprint(v)
	}
}

// Effective returns the settings that are in effect, in the order of Rules, those of the summarizer if there is one.
// Models and agents are listed by their names, with the names of what is set for them.
func (c Config) Effective() []Setting {
	s := effective{config: c}
	t := &target{config: &c, parts: &parts{}, policy: &c.shown.policy}
	for _, r := range topRules() {
		switch {
		case r.From != "":
		case r.Key == "follow":
			s.add(r, "", c.Follow)
		case r.Key == "summarizer" && c.Summarizer != nil:
			seconds := int(c.Summarizer.Timeout.Seconds())
			s.rules("summarizer", r.Rules, &target{summarizer: &summarizerText{*c.Summarizer, seconds}})
		case r.Key == "context", r.Key == "hooks", r.Key == "index", r.Key == "limits":
			s.rules(r.Key, r.Rules, t)
		case r.Key == "graph":
			s.rules(r.Key, graphRules()[:1], t)
			s.severities()
		case r.Kind == Table, r.Kind == List:
			s.named(r.Key)
		case r.Kind != Mapping:
			s.rules("", []Rule{r}, t)
		}
	}
	return s.out
}

// effective collects settings.
type effective struct {
	config Config
	out    []Setting
}

func (s *effective) rules(path string, rules []Rule, t *target) {
	for _, r := range rules {
		switch {
		case r.Kind == Mapping:
			s.rules(join(path, r.Key), r.Rules, t)
		default:
			s.add(r, path, valueOf(r.into(t)))
		}
	}
}

func (s *effective) add(r Rule, path string, value any) {
	if value == "" && r.Default != "" {
		value = r.Default // of which the zero value stands for
	}
	path = join(path, r.Key)
	from := s.config.shown.origins[path]
	s.out = append(s.out, Setting{Path: path, Value: value, From: from, Unit: r.Unit, zero: r.Zero})
}

// named adds the entries of models or agents.
func (s *effective) named(key string) {
	shown := s.config.shown
	for _, path := range slices.Sorted(maps.Keys(shown.entries)) {
		if strings.HasPrefix(path, key+".") {
			s.out = append(s.out, Setting{Path: path, Value: shown.entries[path], From: shown.origins[path]})
		}
	}
}

// valueOf returns what a pointer of a rule points to.
func valueOf(into any) any {
	switch v := into.(type) {
	case inverse:
		return !*v.value
	case *bool:
		return *v
	case *int:
		return *v
	case *float64:
		return *v
	case *string:
		return *v
	case *[]string:
		return *v
	case *map[string]int:
		return *v
	}
	return nil
}
