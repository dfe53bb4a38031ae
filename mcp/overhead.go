package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/agentname"
)

// cost returns what a request of a host or client carries of our tools and instructions: as what was found says that it
// lists them, or our own list for one that is not known. The client that asks was also told something when it began, which
// the requests of another host do not carry.
func (c *call) cost(found carried.Report, name string) registry.OwnCost {
	own := registry.OwnCostOf(found, name)
	if own.As == "" {
		own.Tokens = c.overhead()
	}
	if name == c.client || name == agentname.Of(c.client) || name == hostName {
		own.Told = int(c.told.Load())
		own.Tokens += own.Told
	}
	return own
}

// toolList returns the JSON of the tool list as it is sent.
func (s *Server) toolList() string {
	var list []proto.Tool
	for _, t := range s.tools() {
		if !t.hidden {
			list = append(list, s.describe(t))
		}
	}
	slices.SortFunc(list, func(a, b proto.Tool) int { return strings.Compare(a.Name, b.Name) })
	raw, err := json.Marshal(list)
	if err != nil {
		return "" // unreachable: tested
	}
	return string(raw)
}
