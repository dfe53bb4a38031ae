package window

import (
	"maps"
	"slices"
	"strings"
)

// Policies say how much of a conversation each of several agents is to see. The zero value is Default for
// all of them.
type Policies struct {
	base *Policy
	of   map[string]Policy // by name, in lower case
}

// NewPolicies returns a policy for everybody, and those of single agents, by their names: case does not
// count.
func NewPolicies(base Policy, of map[string]Policy) Policies {
	p := Policies{base: &base, of: make(map[string]Policy, len(of))}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		p.of[strings.ToLower(name)] = of[name]
	}
	return p
}

// For returns the policy of the first of these agents that has one of its own, else that of everybody.
func (p Policies) For(agents ...string) Policy {
	for _, name := range agents {
		if own, has := p.of[strings.ToLower(name)]; has {
			return own
		}
	}
	if p.base == nil {
		return Default()
	}
	return *p.base
}
