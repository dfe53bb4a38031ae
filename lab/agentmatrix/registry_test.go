package agentmatrix

import (
	"slices"
	"testing"

	"ctxledger.dev/agents/registry"
)

// TestTheMatrixHasTheAgentsOfTheRegistry: it runs no others, among them each whose client has figures that were measured.
func TestTheMatrixHasTheAgentsOfTheRegistry(t *testing.T) {
	var run []string
	for _, h := range hosts {
		a := registry.Of(h.name)
		if run = append(run, string(a.Name)); a.Name == "" {
			t.Errorf("%s is not in the registry", h.name)
		}
	}
	for _, name := range registry.Names(func(a registry.Agent) bool { return a.Client.Tokens > 0 }) {
		if !slices.Contains(run, name) {
			t.Errorf("what requests of %s carry of our tools is not compared with real ones", name)
		}
	}
	for _, c := range connecting {
		if registry.Of(c.agent).Files == nil {
			t.Errorf("%s cannot be connected", c.agent)
		}
	}
	for name := range listsOf {
		if !registry.Of(name).Carried.Known() {
			t.Errorf("what requests of %s carry is not known", name)
		}
	}
}
