package transcript

import (
	"bytes"
	"encoding/json"
)

// Speaker returns the name of who says a message, which OpenAI's formats and orchestrators of several agents put beside
// its role; "" without one. The name of a tool is none.
func Speaker(raw []byte) string {
	if !bytes.Contains(raw, []byte(`"name"`)) {
		return ""
	}
	var m struct {
		Type string `json:"type"`
		Role Role   `json:"role"`
		Name any    `json:"name"`
	}
	if json.Unmarshal(raw, &m) != nil || m.Type != "" && m.Type != "message" {
		return ""
	}
	switch m.Role {
	case RoleUser, RoleAssistant, "model":
		name, _ := m.Name.(string)
		return name
	}
	return ""
}
