package trust

import (
	"regexp"
	"strings"

	"ctxledger.dev/internal/fault"
)

// How configurations of MCP servers refer to variables: most as ${NAME} or ${NAME:-default}, Gemini CLI as $NAME, too,
// and opencode as {env:NAME}.
var (
	reference         = regexp.MustCompile(`\$\{([^{}]*)\}`)
	referenceGemini   = regexp.MustCompile(`\$\{([^{}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)`)
	referenceOpencode = regexp.MustCompile(`\{env:([^{}]*)\}`)
	variable          = regexp.MustCompile(`^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-(.*))?$`)
)

// expand replaces the references to variables in a text of the configuration. read takes the names of those of the
// person; it may be nil. Errors: not_found for a variable that is not set; invalid for what only the agent knows.
func (s *ServerAsk) expand(text string, read map[string]bool) (string, error) {
	pattern := reference
	switch s.host {
	case "gemini-cli":
		pattern = referenceGemini
	case "opencode":
		pattern = referenceOpencode
	}
	var failed error
	out := pattern.ReplaceAllStringFunc(text, func(found string) string {
		m := pattern.FindStringSubmatch(found)
		value, err := s.value(strings.Join(m[1:], ""), read)
		if err != nil && failed == nil {
			failed = err
		}
		return value
	})
	return out, failed
}

// value returns what a reference stands for.
func (s *ServerAsk) value(name string, read map[string]bool) (string, error) {
	const op = "trust.server"
	if name == "workspaceFolder" || name == "CLAUDE_PROJECT_DIR" {
		return s.Root, nil
	}
	m := variable.FindStringSubmatch(name)
	if m == nil {
		return "", fault.New(fault.Invalid, op, "%s cannot be asked: only its agent knows what %s is", quote(s.Name),
			quote("${"+name+"}"))
	}
	v := s.finder.env.Lookup(m[1])
	if v == "" && m[2] != "" {
		return m[3], nil
	}
	if v == "" {
		return "", fault.New(fault.NotFound, op, "%s cannot be asked: the variable %s is not set", quote(s.Name),
			quote(m[1]))
	}
	if read != nil {
		read[m[1]] = true
	}
	return v, nil
}

// expandAll expands the values of a map.
func (s *ServerAsk) expandAll(of map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for name, text := range of {
		value, err := s.expand(text, nil)
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}
