package config

import (
	"maps"
	"slices"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/yamldoc"
)

// graphRules are the keys of graph.
func graphRules() []Rule {
	return []Rule{
		{Key: "compat", Kind: Word, Values: []string{string(graph.Ours), string(graph.Fractalic)},
			Default: string(graph.Ours),
			Doc:     "by whose rules documents are read where [Fractalic's differ](maintainers/defaults.md#fractalic)",
			into:    func(t *target) any { return (*string)(&t.config.Graph.Compat) }},
		{Key: "severities", Kind: Mapping, Rules: severityRules(),
			Doc: "for a [finding](graph.md#findings), by its code, another severity, or `off`: `{CG205: off, CG311: hint}`. With " +
				"`error`, `graph check` fails",
			into: func(t *target) any { return &t.parts.severities }},
	}
}

// severityRules returns the keys of graph.severities.
func severityRules() (rules []Rule) {
	values := []string{string(graph.Error), string(graph.Warning), string(graph.Information), string(graph.Hint),
		string(graph.Off)}
	for _, c := range graph.Codes() {
		rules = append(rules, Rule{Key: c.Code, Kind: Word, Values: values, Default: c.Severity, Doc: c.Means,
			into: func(t *target) any {
				said := new(string)
				t.severities[c.Code] = said
				return said
			}})
	}
	return rules
}

// severities takes the severities that a document sets.
func (p *parser) severities(c *Config, f yamldoc.Field) {
	t := &target{config: c, severities: map[string]*string{}}
	p.mapping(f, severityRules(), "graph.severities", t)
	p.originate("")
	if c.Graph.Severities == nil {
		c.Graph.Severities = map[string]graph.Severity{}
	}
	for code, said := range t.severities {
		if *said != "" {
			c.Graph.Severities[code] = graph.Severity(*said)
		}
	}
}

// severities adds the severities that are set.
func (s *effective) severities() {
	set := s.config.Graph.Severities
	for _, code := range slices.Sorted(maps.Keys(set)) {
		path := "graph.severities." + code
		s.out = append(s.out, Setting{Path: path, Value: string(set[code]), From: s.config.shown.origins[path]})
	}
}
