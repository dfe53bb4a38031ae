package agentmatrix

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
	"ctxledger.dev/servertools"
	"ctxledger.dev/tokens"
	"ctxledger.dev/trust"
)

// projectHost is Claude Code with the servers of the workspace's .mcp.json.
func projectHost(search string) host {
	h := hosts[slices.IndexFunc(hosts, func(h host) bool { return h.name == model.Claude })]
	h.arguments = []string{"--output-format", "json", "-p"}
	h.variables = slices.Clone(h.variables)
	h.variables[len(h.variables)-1] = "ENABLE_TOOL_SEARCH=" + search
	return h
}

// first has the agent make one request and returns it.
func (h host) first(t *testing.T, s *sandbox.Sandbox) (body []byte, text string) {
	t.Helper()
	for _, x := range h.play(t, s, "--workspace="+s.Workspace, model.Script{model.Say("Done.")}, nil).Log() {
		if x.Step == 0 {
			return x.Body, textsIn(t, x.Body)
		}
	}
	t.Fatal("it made no request")
	return nil, ""
}

// toolsOf returns the definitions in a request whose names begin with a text.
func toolsOf(t *testing.T, body []byte, prefix string) (out []json.RawMessage) {
	t.Helper()
	var r struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	for _, raw := range r.Tools {
		var tool struct{ Name string }
		if json.Unmarshal(raw, &tool) == nil && strings.HasPrefix(tool.Name, prefix) {
			out = append(out, raw)
		}
	}
	return out
}

// projectServers configures two servers in the workspace, and that its person uses them. They are ours under another name:
// what ctxledger's own server costs is known without asking.
func projectServers(t *testing.T, s *sandbox.Sandbox) {
	t.Helper()
	server := filepath.Join(s.Top, "server")
	if err := os.Symlink(filepath.Join(bin, "ctxmcp"), server); err != nil {
		t.Fatal(err)
	}
	entry := fmt.Sprintf(`{"command": %q, "args": ["--in-process"]}`, server)
	for path, text := range map[string]string{
		filepath.Join(s.Workspace, ".mcp.json"):        `{"mcpServers": {"kept": ` + entry + `, "other": ` + entry + `}}`,
		filepath.Join(s.Home, ".claude/settings.json"): `{"enableAllProjectMcpServers": true}`,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// found is what package carried finds of Claude Code's servers.
func found(t *testing.T, s *sandbox.Sandbox) (carried.Report, map[string]carried.Part) {
	t.Helper()
	report := carried.Find(t.Context(), carried.Options{Agents: registry.Carried(), Root: s.Workspace, Env: at(s),
		Meter: carried.For(ledger.Meter{Counter: tokens.O200kBase.Counter()})})
	return report, serversOf(report)
}

func serversOf(report carried.Report) map[string]carried.Part {
	out := map[string]carried.Part{}
	for _, h := range report.Hosts {
		for _, p := range h.Parts {
			if h.Name == "claude-code" && p.Kind == carried.Server {
				out[p.Name] = p
			}
		}
	}
	return out
}

// TestASwitchedOffServerIsInNoRealRequest applies the quick fix for a server of .mcp.json and lets the real agent make a
// request before and after.
func TestASwitchedOffServerIsInNoRealRequest(t *testing.T) {
	s := programtest.NewBox(t, bin)
	projectServers(t, s)
	h := projectHost("false")
	body, _ := h.first(t, s)
	if k, o := len(toolsOf(t, body, "mcp__kept__")), len(toolsOf(t, body, "mcp__other__")); k == 0 || o == 0 {
		t.Fatalf("before: %d tools of one server, %d of the other", k, o)
	}
	_, parts := found(t, s)
	ways := carried.SwitchOff(s.Workspace, parts["other"], func(path string) (string, bool) {
		raw, err := os.ReadFile(path)
		return string(raw), err == nil || os.IsNotExist(err)
	})
	if len(ways) == 0 || ways[0].Path != filepath.Join(s.Workspace, ".claude", "settings.local.json") {
		t.Fatalf("the ways are %+v", ways)
	}
	if err := os.MkdirAll(filepath.Dir(ways[0].Path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ways[0].Path, []byte(ways[0].Edit.Text), 0o600); err != nil { // there was no file
		t.Fatal(err)
	}
	body, text := h.first(t, s)
	if k, o := len(toolsOf(t, body, "mcp__kept__")), len(toolsOf(t, body, "mcp__other__")); k == 0 || o != 0 {
		t.Errorf("after: %d tools of one server, %d of the other", k, o)
	}
	if strings.Contains(text, "mcp__other__") {
		t.Error("the request names a tool of the server that is switched off")
	}
	if _, parts := found(t, s); parts["kept"].Off() || !parts["other"].Off() {
		t.Errorf("off: %v and %v", parts["kept"].Off(), parts["other"].Off())
	}
}

// TestAskedServersCostWhatRealRequestsCarry asks a server for its tools and compares what that is said to cost with requests
// of the real agent: all definitions, or their names only where tools are looked for.
func TestAskedServersCostWhatRealRequestsCarry(t *testing.T) {
	for search, loaded := range map[string]bool{"false": true, "true": false} {
		t.Run("ENABLE_TOOL_SEARCH="+search, func(t *testing.T) {
			s := programtest.NewBox(t, bin)
			projectServers(t, s)
			body, text := projectHost(search).first(t, s)
			part := asked(t, s, "kept", loaded)
			definitions, said := 0, part.Carried.N-part.instructions
			for _, raw := range toolsOf(t, body, "mcp__kept__") {
				definitions += tokens.O200kBase.Count(raw)
			}
			for _, tool := range part.Tools {
				if !strings.Contains(string(body), "mcp__kept__"+tool.Name) {
					t.Errorf("the request does not name %s", tool.Name)
				}
			}
			t.Logf("%d tokens of definitions in the request; said: %v in every request, %v later", definitions, part.Carried,
				part.Later)
			if !loaded {
				if definitions != 0 || part.Later.N < 10*said || !strings.Contains(text, "mcp__kept__") {
					t.Error("its tools are not only named")
				}
				return
			}
			if off := float64(said-definitions) / float64(max(definitions, 1)); off < -maxError || off > maxError {
				t.Errorf("off by %.1f%%", 100*off)
			}
		})
	}
}

// asked asks a server and returns what is said of it; loaded says that the agent loads all definitions.
func asked(t *testing.T, s *sandbox.Sandbox, name string, loaded bool) askedPart {
	t.Helper()
	report, parts := found(t, s)
	e := env.System()
	e.Home = s.Home
	ask, err := trust.FindServer(e, s.Workspace, carried.Host{Name: "claude-code", Title: "Claude Code"}, parts[name])
	if err != nil {
		t.Fatal(err)
	}
	approved, err := trust.ApproveServer(ask, ask.Digest())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := servertools.Ask(t.Context(), approved, func(text string) string { return text })
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range report.Hosts {
		for i := range h.Parts {
			if c := h.Parts[i].Config; c != nil {
				c.Loaded = loaded
			}
		}
	}
	kept := ledger.AskedServer{Config: parts[name].Config.Digest(), At: e.Now(), Tools: answer.Tools,
		Instructions: answer.Instructions}
	report.Count(ledger.ToolUse{Servers: []ledger.AskedServer{kept}}, s.Workspace)
	return askedPart{serversOf(report)[name], answer.Instructions}
}

// askedPart is a server with the tokens of what it says of itself.
type askedPart struct {
	carried.Part
	instructions int
}
