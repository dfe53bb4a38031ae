package intents

import "testing"

func TestWhichToolsAreOurs(t *testing.T) {
	for _, c := range []struct {
		name           string
		own, retrieves bool
	}{
		{"read_artifact", true, true},
		{"mcp__ctxledger__read_artifact", true, true},
		{"ctx_read_artifact", true, true},
		{"mcp__memory-server__context_status", true, true},
		{"mcp__ctxledger__memory", true, false}, // what it answers may be cut like any other
		{"mcp__notes__memory", false, false},
		{"changes", false, false},
		{"Bash", false, false},
	} {
		if Own(c.name) != c.own || Retrieves(c.name) != c.retrieves {
			t.Errorf("%s: ours %t, retrieves %t", c.name, Own(c.name), Retrieves(c.name))
		}
	}
}
