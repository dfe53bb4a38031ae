package config

import (
	"strings"
	"testing"

	"ctxledger.dev/graph"
	"ctxledger.dev/tokens"
)

// TestGraphSettings: the user's own file overrides the workspace's, code by code.
func TestGraphSettings(t *testing.T) {
	docs := []document{
		{name: File, data: []byte("graph: {compat: Fractalic, severities: {CG205: off, cg311: hint}}\n")},
		{name: "config.yaml", user: true, data: []byte("graph: {severities: {CG205: error}}\n")},
	}
	for i := range docs {
		if err := docs[i].parse(); err != nil {
			t.Fatal(err)
		}
	}
	c, problems := merge(tokens.Builtin(), docs)
	if len(problems) > 0 || c.Graph.Compat != graph.Fractalic || len(c.Graph.Severities) != 2 ||
		c.Graph.Severities["CG205"] != graph.Error || c.Graph.Severities["CG311"] != graph.Hint {
		t.Errorf("%+v, %v", *c.Graph, problems)
	}
	var shown []string
	for _, s := range c.Effective() {
		if strings.HasPrefix(s.Path, "graph.") {
			shown = append(shown, s.Path+": "+s.String()+" ("+s.From.String()+")")
		}
	}
	if got := strings.Join(shown, "; "); got != "graph.compat: fractalic (ctxledger.yaml:1); graph.severities.CG205: "+
		"error (config.yaml:1); graph.severities.CG311: hint (ctxledger.yaml:1)" {
		t.Error(got)
	}
	if d := Default(); len(d.Graph.Severities) > 0 || d.Graph.Compat != "" {
		t.Errorf("the defaults are not: %+v", *d.Graph)
	}
	_, problems, _ = parse("", []byte("graph: {severities: {CG999: off}, compat: other}\n"))
	if len(problems) != 2 || !strings.Contains(problems[0].String()+problems[1].String(), "CG999") {
		t.Errorf("%v", problems)
	}
}
