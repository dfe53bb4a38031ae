package carried

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// apply applies edits to a text.
func apply(text string, edits []Edit) string {
	for _, e := range slices.Backward(edits) {
		text = text[:e.At.From] + e.Text + text[e.At.To:]
	}
	return text
}

// switches returns what each way to switch off a server does to its file, by title. The server is the first of that name
// in text.
func switches(host, path, name, text, other string) map[string]string {
	agent := agents()[host]
	p := Part{Kind: Server, Name: name, Path: path, agent: agent}
	quoted := `"` + name + `"`
	if host == "codex" {
		quoted = "[mcp_servers." + name + "]"
	}
	p.At.From = strings.Index(text, quoted)
	p.At.To = p.At.From + len(quoted)
	if line, _, _ := strings.Cut(text[p.At.From:], "\n"); host == "codex" {
		p.At.To = p.At.From + len(strings.TrimRight(line, "\r"))
	}
	files := map[string]string{path: text, "/w/.claude/settings.local.json": other}
	out := map[string]string{}
	now := func(path string) (string, bool) {
		text, ok := files[path]
		return text, ok
	}
	for _, s := range SwitchOff("/w", p, now) {
		out[s.Title] = apply(files[s.Path], s.Edits)
	}
	return out
}

// TestServersAreSwitchedOff: to add a case, add a row. Each switches off the server "a"; want is the text of the file
// after the first way, other and wantOther are Claude Code's settings of the person before and after.
func TestServersAreSwitchedOff(t *testing.T) {
	const mcp = `{"mcpServers":{"a":{}}}`
	for _, c := range []struct{ name, host, text, want, other, wantOther string }{
		{"opencode", "opencode", `{"mcp": {"a": {"type": "local"}}}`,
			`{"mcp": {"a": {"enabled": false, "type": "local"}}}`, "", ""},
		{"of several lines", "opencode", "{\"mcp\": {\n  \"a\": {\r\n    \"x\": 1\n  }\n}}",
			"{\"mcp\": {\n  \"a\": {\r\n    \"enabled\": false,\r\n    \"x\": 1\n  }\n}}", "", ""},
		{"empty", "opencode", `{"mcp": {"a": {}}}`, `{"mcp": {"a": {"enabled": false}}}`, "", ""},
		{"enabled", "opencode", `{"mcp": {"a": {"enabled": true}}}`, `{"mcp": {"a": {"enabled": false}}}`, "", ""},
		{"no object", "opencode", `{"mcp": {"a": 1}}`, "", "", ""},
		{"broken", "opencode", `{"mcp": {"a": {}`, "", "", ""},
		{"Codex", "codex", "[mcp_servers.a]\ncommand = \"x\"\n\n[mcp_servers.b]\nenabled = true\n",
			"[mcp_servers.a]\nenabled = false\ncommand = \"x\"\n\n[mcp_servers.b]\nenabled = true\n", "", ""},
		{"at the end", "codex", "[mcp_servers.a]", "[mcp_servers.a]\nenabled = false", "", ""},
		{"with a comment", "codex", "[mcp_servers.a] # mine\r\n",
			"[mcp_servers.a] # mine\r\nenabled = false\r\n", "", ""},
		{"enabled in TOML", "codex", "[mcp_servers.a]\n enabled=true # yes\n",
			"[mcp_servers.a]\n enabled=false # yes\n", "", ""},
		{"texts of several lines", "codex", "[mcp_servers.a]\nx = \"\"\"\nenabled = true\n\"\"\"\n", "", "", ""},
		{"settings that are not there", "claude-code", mcp, "", "", "{\n  \"disabledMcpjsonServers\": [\"a\"]\n}\n"},
		{"settings", "claude-code", mcp, "", "{\n  // mine\n  \"x\": 1\n}",
			"{\n  // mine\n  \"disabledMcpjsonServers\": [\"a\"], \"x\": 1\n}"},
		{"a list", "claude-code", mcp, "", `{"disabledMcpjsonServers": [ "b"]}`,
			`{"disabledMcpjsonServers": [ "a", "b"]}`},
		{"an empty list", "claude-code", mcp, "", `{"disabledMcpjsonServers": []}`,
			`{"disabledMcpjsonServers": ["a"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := switches(c.host, "/w/.mcp.json", "a", c.text, c.other)
			if c.host == "claude-code" {
				if got := got["Disable a for you, in .claude/settings.local.json"]; got != c.wantOther {
					t.Errorf("the settings are\n%s\nnot\n%s", got, c.wantOther)
				}
				if got := got["Remove a from .mcp.json"]; got != `{"mcpServers":{}}` {
					t.Errorf("removed: %s", got)
				}
			} else if got["Disable a"] != c.want {
				t.Errorf("switched off: %q, not %q", got["Disable a"], c.want)
			}
		})
	}
	for _, other := range []string{`[]`, `{"disabledMcpjsonServers": "a"}`, `{`} {
		if got := switches("claude-code", "/w/.mcp.json", "a", mcp, other); len(got) != 1 {
			t.Errorf("with settings %s there are the ways %v", other, got)
		}
	}
}

// TestRemovingLeavesTheRest: each server of each form is removed, and every byte that is no part of its entry stays, up
// to a comma and the white space at it.
func TestRemovingLeavesTheRest(t *testing.T) {
	for _, form := range []string{`{%s: {}, %s: {"x": [1]}, %s: {}}`, "{\n\t%s: {},\n\t%s: {},\n\t%s: {}\n}",
		`{%s:{},%s:{},%s:{},}`, "{ // one\n %s: {}, // two\n /* three */ %s: {} /*,*/, %s: {} // end\n}", `{%s: {"%%s": 1} , %s: {} ,%s: 5}`} {
		text := `{"servers": ` + fmt.Sprintf(form, `"a"`, `"b"`, `"c"`) + `}`
		for _, name := range []string{"a", "b", "c"} {
			got := switches("copilot", "/w/.vscode/mcp.json", name, text, "")["Remove "+name+" from mcp.json"]
			var top struct{ Servers map[string]json.RawMessage }
			if err := json.Unmarshal(plainJSON([]byte(got)), &top); err != nil {
				t.Errorf("%s without %s is %s: %v", text, name, got, err)
				continue
			}
			left := slices.DeleteFunc([]string{"a", "b", "c"}, func(s string) bool { return s == name })
			if names := slices.Sorted(maps.Keys(top.Servers)); !slices.Equal(names, left) {
				t.Errorf("%s without %s has %v", text, name, names)
			}
			for _, word := range []string{"// one", "// two", "/* three */", "/*,*/", "// end"} {
				if name == "b" && word == "/*,*/" {
					continue // a part of its entry
				}
				if strings.Contains(text, word) != strings.Contains(got, word) {
					t.Errorf("%s without %s lost %s: %s", text, name, word, got)
				}
			}
		}
	}
}

// FuzzSwitchingOffKeepsAConfiguration: whatever a configuration is, each way leaves one that can be read, in which the
// server is not enabled any more.
func FuzzSwitchingOffKeepsAConfiguration(f *testing.F) {
	for _, seed := range []string{`{"mcpServers":{"a":{},"b":{"x":1}}}`, `{"mcpServers":{"a":{},"a":{}}}`,
		"{\"mcpServers\" : {\n\"a\":1,}}",
		`{"mcpServers":{"a":{"mcpServers":{"a":{}}}}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid(plainJSON([]byte(text))) {
			return
		}
		fi := finder{Options: Options{Root: "/w", Env: env.Env{Home: "/h"},
			Meter: For(ledger.Meter{Counter: tokens.O200kBase.Counter()})}}
		top, ok := jsonObject(text)
		if !ok {
			return
		}
		for _, p := range fi.serversIn("/w/.cursor/mcp.json", top.member("mcpServers")) {
			for _, s := range SwitchOff("/w", p, func(string) (string, bool) { return text, true }) {
				got := apply(text, s.Edits)
				after, ok := jsonObject(got)
				if !ok {
					t.Fatalf("%q is %q after %s", text, got, s.Title)
				}
				a, b := len(top.member("mcpServers").members()), len(after.member("mcpServers").members())
				if b != a-1 {
					t.Fatalf("%q has %d servers after %s: %q", text, b, s.Title, got)
				}
			}
		}
	})
}
