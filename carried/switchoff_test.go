package carried

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// apply applies an edit to a text.
func apply(text string, e Edit) string { return text[:e.At.From] + e.Text + text[e.At.To:] }

// switches returns what each way to switch off a server does to its file, by title.
func switches(host, path, name, text, other string) map[string]string {
	agent := agents()[host]
	holder := map[string]string{"codex": "mcp_servers", "opencode": "mcp", "copilot": "servers"}[host]
	p := Part{Kind: Server, Name: name, Path: path, agent: agent, entry: []string{cmp.Or(holder, "mcpServers"), name}}
	files := map[string]string{path: text, "/w/.claude/settings.local.json": other}
	out := map[string]string{}
	now := func(path string) (string, bool) {
		text, ok := files[path]
		return text, ok
	}
	for _, s := range SwitchOff("/w", p, now) {
		out[s.Title] = apply(files[s.Path], s.Edit)
	}
	return out
}

// TestServersAreSwitchedOff: to add a case, add a row. Each switches off the server "a"; want is the text of the file
// after the first way, other and wantOther are Claude Code's settings of the person before and after.
func TestServersAreSwitchedOff(t *testing.T) {
	const mcp = `{"mcpServers":{"a":{}}}`
	for _, c := range []struct{ name, host, text, want, other, wantOther string }{
		{"opencode", "opencode", `{"mcp": {"a": {"type": "local"}}}`,
			`{"mcp": {"a": {"type": "local", "enabled": false}}}`, "", ""},
		{"of several lines", "opencode", "{\"mcp\": {\n  \"a\": {\r\n    \"x\": 1\n  }\n}}",
			"{\"mcp\": {\n  \"a\": {\r\n    \"x\": 1,\n    \"enabled\": false\n  }\n}}", "", ""},
		{"empty", "opencode", `{"mcp": {"a": {}}}`, `{"mcp": {"a": {"enabled":false}}}`, "", ""},
		{"enabled", "opencode", `{"mcp": {"a": {"enabled": true}}}`, `{"mcp": {"a": {"enabled": false}}}`, "", ""},
		{"no object", "opencode", `{"mcp": {"a": 1}}`, "", "", ""},
		{"broken", "opencode", `{"mcp": {"a": {}`, "", "", ""},
		{"Codex", "codex", "[mcp_servers.a]\ncommand = \"x\"\n\n[mcp_servers.b]\nenabled = true\n",
			"[mcp_servers.a]\ncommand = \"x\"\nenabled = false\n\n[mcp_servers.b]\nenabled = true\n", "", ""},
		{"at the end", "codex", "[mcp_servers.a]\nurl = \"x\"",
			"[mcp_servers.a]\nurl = \"x\"\nenabled = false", "", ""},
		{"with a comment", "codex", "[mcp_servers.a] # mine\r\nurl = \"x\" # too\r\n",
			"[mcp_servers.a] # mine\r\nurl = \"x\" # too\r\nenabled = false\r\n", "", ""},
		{"enabled in TOML", "codex", "[mcp_servers.a]\n enabled=true # yes\n",
			"[mcp_servers.a]\n enabled=false # yes\n", "", ""},
		{"texts of several lines", "codex", "[mcp_servers.a]\nx = \"\"\"\nenabled = true\n\"\"\"\n",
			"[mcp_servers.a]\nx = \"\"\"\nenabled = true\n\"\"\"\nenabled = false\n", "", ""},
		{"settings that are not there", "claude-code", mcp, "", "", "{\n  \"disabledMcpjsonServers\": [\"a\"]\n}\n"},
		{"settings", "claude-code", mcp, "", "{\n  // mine\n  \"x\": 1\n}",
			"{\n  // mine\n  \"x\": 1,\n  \"disabledMcpjsonServers\": [\"a\"]\n}"},
		{"a list", "claude-code", mcp, "", `{"disabledMcpjsonServers": [ "b"]}`,
			`{"disabledMcpjsonServers": [ "b","a"]}`},
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
			plain, _ := confedit.Plain([]byte(got))
			if err := json.Unmarshal(plain, &top); err != nil {
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
		fi := finder{Options: Options{Root: "/w", Env: env.Env{Home: "/h"},
			Meter: For(ledger.Meter{Counter: tokens.O200kBase.Counter()})}}
		top, ok := jsonObject(text)
		if !ok {
			return
		}
		for _, p := range fi.serversIn("/w/.cursor/mcp.json", top.member("mcpServers"), "mcpServers") {
			for _, s := range SwitchOff("/w", p, func(string) (string, bool) { return text, true }) {
				got := apply(text, s.Edit)
				after, ok := jsonObject(got)
				if !ok {
					t.Fatalf("%q is %q after %s", text, got, s.Title)
				}
				for _, m := range after.member("mcpServers").members() {
					if m.name == p.entry[1] {
						t.Fatalf("%q has the server %q after %s: %q", text, m.name, s.Title, got)
					}
				}
			}
		}
	})
}
