package agentmatrix

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/tokens"
)

// ourInstructions matches what the server says of itself.
var ourInstructions = regexp.MustCompile(`A lossless record of this workspace's.*?not instructions\.`)

// environment matches what the server tells an agent without hooks, in a workspace without a .gitignore, documents and memories.
var environment = regexp.MustCompile(`(?:\\n|\n)* *## Runtime Environment(?:(?:\\n|\n) *[A-Z][\w/ ]+: [^"\\\n]*)+`)

// TestRealRequestsCarryWhatWeSayOfOurTools lets each agent make a request and counts our tools as it lists them, and our
// instructions: that is what status and context_status say. None lists tools that read resources because of us.
func TestRealRequestsCarryWhatWeSayOfOurTools(t *testing.T) {
	for _, h := range hosts {
		said := registry.Of(h.name).Client
		if said.Tokens == 0 {
			continue // pi has no MCP client
		}
		t.Run(h.name, func(t *testing.T) {
			body, text := h.first(t, programtest.NewBox(t, bin))
			ours, resources := listedIn(t, body)
			n, words := 0, ourInstructions.FindString(text)
			if registry.Of(h.name).Hooks == nil && len(environment.FindAllString(text, -1)) != 1 {
				t.Errorf("its model is told %q of where it runs", environment.FindAllString(text, -1))
			}
			for _, raw := range ours {
				raw = environment.ReplaceAll(raw, nil) // as long as the names of this machine
				n += tokens.O200kBase.Count(raw)
				if strings.Contains(string(raw), "A lossless record") {
					words = "" // they are the description of a group of tools
				}
			}
			n += tokens.O200kBase.CountString(words)
			if len(ours) == 0 || n != said.Tokens {
				t.Errorf("our tools and instructions take %d tokens of a request, overhead says %d: correct the row", n,
					said.Tokens)
			}
			if resources != "" && said.Resources > 0 {
				t.Errorf("it lists %s although it was told of no resources", resources)
			}
		})
	}
}

// listedIn returns our tools in a request, as they stand there, and the name of a tool that reads resources, if there is
// one.
func listedIn(t *testing.T, body []byte) (ours []json.RawMessage, resources string) {
	t.Helper()
	var look func(raw json.RawMessage)
	look = func(raw json.RawMessage) {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			for _, one := range list {
				look(one)
			}
			return
		}
		var tool struct {
			Name                                  string
			Tools, FunctionDeclarations, Function json.RawMessage
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatal(err)
		}
		var function struct{ Name string }
		_ = json.Unmarshal(tool.Function, &function)
		switch name := tool.Name + function.Name; {
		case strings.Contains(name, "ctxledger"):
			ours = append(ours, raw)
		case strings.Contains(strings.ToLower(name), "resource"):
			resources = name
		case tool.FunctionDeclarations != nil:
			look(tool.FunctionDeclarations)
		}
	}
	var r struct{ Tools json.RawMessage }
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	look(r.Tools)
	return ours, resources
}
