package agentmatrix

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
)

// connecting are the agents that `ctxledger install` connects. Of the files in testdata/home they get those that name
// the model; a server comes from the installation alone.
var connecting = []struct {
	host  string // of hosts
	agent string // as ctxledger calls it
	// entry matches what testdata/home has about our server, and the arguments that lead to it.
	entry     *regexp.Regexp
	arguments []string
}{
	{model.Claude, "claude-code", nil, []string{"--allowedTools", "mcp__ctxledger", "--output-format", "json", "-p"}},
	{"codex", "codex", regexp.MustCompile(`(?s)\n\[mcp_servers.*`), nil},
	{"gemini", "gemini", regexp.MustCompile(`,\s*"mcpServers": .*`), nil},
	{"opencode", "opencode", regexp.MustCompile(`,\s*"mcp": .*`), nil},
	{"pi", "pi", nil, []string{"--provider", "scripted", "--model", "scripted", "--mode", "json", "-p"}},
}

// remembering saves a fact and asks for it.
var remembering = model.Script{
	model.Do("", model.Call{Tool: "memory", Input: in{"action": "save", "name": "build", "type": "project",
		"description": "how to build", "body": "make build; the tests need make tools first"}}),
	model.Do("", model.Call{Tool: "memory", Input: in{"action": "recall", "query": "how do I build this"}}),
	model.Say("Done."),
}

// TestRealAgentsReachTheLedger: after `ctxledger install` each agent starts our server by itself, saves a fact and
// gets it back. Afterwards `ctxledger uninstall` leaves the configurations as they were.
func TestRealAgentsReachTheLedger(t *testing.T) {
	for _, c := range connecting {
		t.Run(c.agent, func(t *testing.T) {
			program := model.Agent(t, c.host)
			s := programtest.NewBox(t, bin)
			server := model.New(remembering, nil)
			vars := model.Vars{"url": server.Start(t), "home": s.Home, "state": s.State, "ctxmcp": "", "flags": ""}
			h := hostNamed(t, c.host)
			h.installWithout(t, s, vars, c.entry)
			if c.arguments != nil {
				h.arguments = c.arguments
			}
			before := configurations(t, s.Home)
			variables := h.environment(t, s, vars, program)
			ask := func(arguments ...string) string {
				return output(t, s, variables, filepath.Join(bin, "ctxledger"), arguments...)
			}
			pinned(t, c.host, c.agent, ask("doctor", c.agent, "--json"))
			ask("install", c.agent, "--yes")
			if again := ask("install", c.agent, "--yes"); !strings.Contains(again, "already connected") {
				t.Errorf("the second time: %s", again)
			}
			after := configurations(t, s.Home)
			output(t, s, variables, program, append(h.arguments, "Remember.")...)
			var results []string
			for _, x := range server.Log() {
				if x.Step > 0 {
					results = append(results, x.Results...)
				}
			}
			if len(results) != 2 || !strings.Contains(results[0], "saved") ||
				!strings.Contains(results[1], "make tools first") {
				t.Fatalf("results %q", results)
			}
			if got := ask("doctor", c.agent, "--json"); !strings.Contains(got, `"state": "connected"`) {
				t.Errorf("the agent changed what was written: %s", got)
			}
			ask("uninstall", c.agent, "--yes")
			left := configurations(t, s.Home)
			for path, text := range after {
				now, written := left[path], text != before[path]
				now = strings.Replace(now, "  \"$schema\": \"https://opencode.ai/config.json\",\n", "", 1) // opencode adds it
				if written && now != before[path] && !strings.HasSuffix(path, ".claude.json") {
					t.Errorf("%s is %q, was %q", path, now, before[path])
				}
				if strings.Contains(now, "ctxmcp") {
					t.Errorf("%s names our server: %s", path, now)
				}
			}
		})
	}
}

// hostNamed returns a row of the table.
func hostNamed(t *testing.T, name string) host {
	t.Helper()
	for _, h := range hosts {
		if h.name == name {
			return h
		}
	}
	t.Fatalf("no host %s", name)
	return host{}
}

// installWithout installs the agent's files without what they have about our server.
func (h host) installWithout(t *testing.T, s *sandbox.Sandbox, vars model.Vars, entry *regexp.Regexp) {
	t.Helper()
	h.install(t, s, vars)
	for _, name := range []string{"mcp.json", "bridge.ts"} { // arguments lead to these
		if err := os.Remove(filepath.Join(s.Home, name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if entry == nil {
		return
	}
	for path, text := range configurations(t, s.Home) {
		cut := entry.ReplaceAllString(text, "")
		if strings.HasSuffix(path, ".json") && !json.Valid([]byte(cut)) {
			t.Fatalf("%s became %s", path, cut)
		}
		put(t, filepath.Join(s.Home, path), cut)
	}
}

// environment are the variables of an agent, and of a person who has it and the Node that it runs on in PATH.
func (h host) environment(t *testing.T, s *sandbox.Sandbox, vars model.Vars, program string) []string {
	t.Helper()
	dirs := []string{filepath.Dir(program)}
	if h.node {
		dirs = []string{model.Node(t), dirs[0]}
	}
	out := append(s.Env(), "TERM=dumb", "NO_PROXY=127.0.0.1,localhost")
	for i, v := range out {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			out[i] = "PATH=" + strings.Join(append(dirs, path), string(filepath.ListSeparator))
		}
	}
	for name, dir := range map[string]string{"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state",
		"CACHE": ".cache"} {
		out = append(out, "XDG_"+name+"_HOME="+filepath.Join(s.Home, filepath.FromSlash(dir)))
	}
	for _, v := range h.variables {
		out = append(out, fill(vars, v))
	}
	return out
}

// output runs a program in the workspace, and returns what it prints.
func output(t *testing.T, s *sandbox.Sandbox, variables []string, program string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, arguments...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = s.Workspace, variables, &out, &errs, shutdown
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v: %s%s", filepath.Base(program), arguments, err, out.Bytes(), errs.Bytes())
	}
	return out.String()
}

// pinned holds the version of an agent, as doctor finds it, against the one that the Makefile installs.
func pinned(t *testing.T, name, agent, report string) {
	t.Helper()
	want := model.Pinned(t, name)
	var r struct {
		Agents []struct{ Agent, Version string }
	}
	if err := json.Unmarshal([]byte(report), &r); err != nil || len(r.Agents) != 1 || r.Agents[0].Agent != agent ||
		r.Agents[0].Version != want {
		t.Fatalf("%v: doctor says %s, the Makefile installs %s", err, report, want)
	}
}

// configurations returns the files below a home that configure agents.
func configurations(t *testing.T, home string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(home, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", "projects", ".cache", ".local"}, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular() || !strings.Contains(".json.toml.ts.jsonc", filepath.Ext(path)):
			return nil
		}
		raw, err := os.ReadFile(path)
		out[rel] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return maps.Clone(out)
}
