package carried

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"ctxledger.dev/internal/confedit"
)

// An Edit replaces bytes of a file.
type Edit struct {
	At   Span
	Text string
}

// A Switch is a way to have an agent no longer use an MCP server.
type Switch struct {
	Title string
	Path  string // of the file to edit, which may not exist yet
	Edit  Edit   // in its text
}

// settingsOfClaude is the file with a person's own settings of a project, which is not checked in.
const settingsOfClaude = ".claude/settings.local.json"

// SwitchOff returns the ways to switch off a server: the form that its agent has for it, or else removing the entry. No byte
// is changed that is no part of it. text returns a file as it is now, "" for one that is not there, and whether it can be
// edited.
func SwitchOff(root string, p Part, text func(path string) (string, bool)) (out []Switch) {
	if p.Kind != Server || p.Scope == ofPlugin || len(p.entry) == 0 {
		return nil
	}
	way := func(title, path string, change func(text []byte) ([]byte, error)) {
		source, ok := text(path)
		if changed, err := change([]byte(source)); ok && err == nil && string(changed) != source {
			out = append(out, Switch{title, path, between(source, string(changed))})
		}
	}
	if p.agent.disable != nil {
		way("Disable "+p.Name, p.Path, func(text []byte) ([]byte, error) { return p.agent.disable(text, p.entry) })
		return out
	}
	if p.agent.rejects && p.Path == filepath.Join(root, ".mcp.json") {
		settings := filepath.Join(root, filepath.FromSlash(settingsOfClaude))
		way("Disable "+p.Name+" for you, in "+settingsOfClaude, settings,
			func(text []byte) ([]byte, error) { return rejecting(text, p.entry[len(p.entry)-1]) })
	}
	way("Remove "+p.Name+" from "+filepath.Base(p.Path), p.Path, func(text []byte) ([]byte, error) {
		return confedit.Strip(text, func(path []string, _ json.RawMessage, _ int) confedit.Verdict {
			switch n := len(path); {
			case n > len(p.entry) || !slices.Equal(path, p.entry[:n]):
				return confedit.Keep
			case n < len(p.entry):
				return confedit.Enter
			}
			return confedit.Take
		}, confedit.FormerUnknown)
	})
	return out
}

// jsonSwitch disables a server by a member of its entry.
func jsonSwitch(text []byte, entry []string) ([]byte, error) {
	if state, _, err := confedit.Find(text, confedit.Entry{Path: entry}, nil); err != nil || state == confedit.Absent {
		return text, err
	}
	return confedit.Add(text, confedit.Entry{Path: append(slices.Clip(entry), "enabled"), Value: []byte("false")}, nil)
}

// tomlSwitch does the same in a table.
func tomlSwitch(text []byte, entry []string) ([]byte, error) {
	return confedit.UpdateTable(text, confedit.Table{Path: entry, Body: "enabled = false\n"})
}

// rejecting names a server of .mcp.json in Claude Code's list of those that the person does not use.
func rejecting(text []byte, server string) ([]byte, error) {
	name, err := json.Marshal(server)
	if err != nil {
		return nil, err
	}
	return confedit.Add(text, confedit.Entry{Path: []string{"disabledMcpjsonServers"}, List: true, Value: name},
		func(json.RawMessage) confedit.State { return confedit.Absent })
}

// between returns the edit that makes one text of another.
func between(a, b string) Edit {
	from, behind, most := 0, 0, min(len(a), len(b))
	for from < most && a[from] == b[from] {
		from++
	}
	for behind < most-from && a[len(a)-1-behind] == b[len(b)-1-behind] {
		behind++
	}
	for from > 0 && (from < len(a) && !utf8.RuneStart(a[from]) || from < len(b) && !utf8.RuneStart(b[from])) {
		from--
	}
	for behind > 0 && !utf8.RuneStart(a[len(a)-behind]) {
		behind--
	}
	return Edit{Span{from, len(a) - behind}, b[from : len(b)-behind]}
}
