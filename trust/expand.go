package trust

import (
	"cmp"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
)

// variable matches what a reference to a variable names.
var variable = pattern.Lazy(`^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-(.*))?$`)

// values returns the value of a variable, or what the reference gives instead where it is not set.
type values func(name, or string, hasOr bool) (value string, err error)

// expand replaces the references to variables in a text of the configuration by their values. Without values, as before
// a person has confirmed anything, no variable is looked at: references stay as they are, and their names are returned.
// Errors: those of values; invalid for what only the agent knows.
func (s *ServerAsk) expand(text string, of values) (out string, names []string, err error) {
	out = s.reference.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Join(s.reference.FindStringSubmatch(found)[1:], "")
		if name == "workspaceFolder" || name == "CLAUDE_PROJECT_DIR" {
			return s.Root
		}
		v := variable().FindStringSubmatch(name)
		if v == nil {
			err = fault.New(fault.Invalid, "trust.server", "%s cannot be asked: only its agent knows what %s is",
				quote(s.Name), quote(found))
			return ""
		}
		names = append(names, v[1])
		if of == nil || err != nil {
			return found
		}
		value, failed := of(v[1], v[3], v[2] != "")
		err = failed
		return value
	})
	return out, names, err
}

// confirmed returns values of the person's environment: they are read once they are confirmed. Errors: not_found.
func (s *ServerAsk) confirmed(name, or string, hasOr bool) (string, error) {
	value := s.finder.env.Lookup(name)
	if value == "" && !hasOr {
		return "", fault.New(fault.NotFound, "trust.server", "%s cannot be asked: the variable %s is not set",
			quote(s.Name), quote(name))
	}
	return cmp.Or(value, or), nil
}

// valueOf expands a text with the values of variables.
func (s *ServerAsk) valueOf(text string) (string, error) {
	out, _, err := s.expand(text, s.confirmed)
	return out, err
}

// valuesOf expands the values of a map.
func (s *ServerAsk) valuesOf(of map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for name, text := range of {
		value, err := s.valueOf(text)
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}
