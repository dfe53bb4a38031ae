package agentmatrix

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
)

var whole = flag.Bool("whole", false, "take every workspace of carried/testdata/cases, not the few of make whole")

// few are the workspaces that make whole takes; make matrix takes all.
var few = []string{"instructions", "plugins"}

// cases are the workspaces. A section "request AGENT" of one has what a request of the agent lists in it, besides what it
// lists everywhere.
const cases = "../../carried/testdata/cases/"

// lists says where requests of an agent have what it loads.
type lists struct {
	host
	own      string // the names of what it lists everywhere
	sections []section
}

// section is a list in a request: the text between two marks. An entry begins with what entry matches, whose group is its
// name.
type section struct {
	kind          string
	within, entry *regexp.Regexp
	raw           bool // it is a list of JSON, not a text
}

func list(kind, within, entry string) section {
	return section{kind, regexp.MustCompile(within), regexp.MustCompile(entry), strings.HasPrefix(within, `"`)}
}

// available is the list of skills of Gemini CLI and opencode.
var available = list("skill", `(?s)<available_skills>\n(.*?)\n?</available_skills>`, `(?m)^ *<skill>\n *<name>(.*?)</name>`)

// listsOf has the agents by the names that package carried has for them.
var listsOf = map[string]lists{
	"claude-code": {projectHost("false"), "claude Explore general-purpose Plan statusline-setup dataviz update-config " +
		"keybindings-help code-review simplify fewer-permission-prompts loop claude-api workflow-authoring run " +
		"plugin-authoring init security-review", []section{
		list("memory", `(?s)(Contents of .*?)</system-reminder>`, `(?m)^Contents of ((?:ROOT|HOME)/.*?) \(`),
		list("skill", `(?s)available for use with the Skill tool:\n\n(.*?)\n\nToday's date`,
			`(?m)^- (.+?)(?: \([^)]*\))?(?:: |$)`),
		list("agent", `(?s)Available agent types for the Agent tool:\n(.*?)\n\nWhen you launch`, `(?m)^- (.+?): `),
		list("server", `"tools":(.*)`, `"name":"(mcp__.+?__)`),
	}},
	"codex": {hostOf("codex"), "HOME/.codex/skills/.system imagegen openai-docs skill-creator skill-installer", []section{
		list("memory", `(?s)(# AGENTS\.md instructions.*?</INSTRUCTIONS>)`, `^()`),
		list("root", `(?s)### Skill roots\n(.*?)### Available skills`, "(?m)^- `r\\d+` = `(.*)`$"),
		list("skill", `(?s)### Available skills\n(.*?)</skills_instructions>`, `(?m)^- (.+?): `),
	}},
	"gemini": {hostOf("gemini"), "skill-creator antigravity-support", []section{
		list("memory", `(?s)(--- Context from: .*?--- End of Context from: [^\n]*---\n)`,
			`(?m)^--- Context from: (.*?) ---$`),
		available,
		list("skill", `agent skill by name \(Available: (.*?)\)\.`, `'(.*?)'(?:, |$)`),
		list("skill", `"enum":\[("skill-creator",.*?)\]`, `"(.*?)"(?:,|$)`),
	}},
	"opencode": {hostOf("opencode"), "customize-opencode", []section{
		list("memory", `(?s)(Instructions from: .*?)\n+<mcp_instructions>`, `(?m)^Instructions from: (.*)$`),
		available,
	}},
}

// hostOf returns the agent of a name.
func hostOf(name string) host {
	return hosts[slices.IndexFunc(hosts, func(h host) bool { return h.name == name })]
}

// TestCarriedIsWhatRequestsOfRealAgentsCarry lets each agent make one request in each workspace, and compares what it
// lists with what is recorded: carried: TestRequests compares that with what is found. To add a workspace, add a file with
// a section for each agent, and run this with -whole -update.
func TestCarriedIsWhatRequestsOfRealAgentsCarry(t *testing.T) {
	paths, err := filepath.Glob(cases + "*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, before := strings.TrimSuffix(filepath.Base(path), ".txt"), string(txtar.Format(archive))
		for i, f := range archive.Files {
			agent, is := strings.CutPrefix(f.Name, "request ")
			if !is || !*whole && !slices.Contains(few, name) {
				continue
			}
			t.Run(name+"/"+agent, func(t *testing.T) {
				if now := listsOf[agent].request(t, archive.Files); now != string(f.Data) && !*update {
					t.Errorf("the request lists\n%s\nrecorded is\n%s", now, f.Data)
				} else {
					archive.Files[i].Data = []byte(now)
				}
			})
		}
		if after := txtar.Format(archive); string(after) != before {
			if err := os.WriteFile(path, after, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// filesOf returns the files of a workspace, and what is recorded of it.
func filesOf(t *testing.T, name string) []txtar.File {
	t.Helper()
	archive, err := txtar.ParseFile(cases + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return archive.Files
}

// request has the agent make a request in a workspace with files, and returns what it lists besides its own: a line for
// each entry, with its kind, its name and its text.
func (l lists) request(t *testing.T, files []txtar.File) string {
	t.Helper()
	s := programtest.NewBox(t, bin)
	place(t, s, files)
	body, text := l.first(t, s)
	named := strings.NewReplacer(s.Workspace, "ROOT", s.Home, "HOME")
	var out []string
	for _, x := range l.sections {
		if x.raw {
			text = string(body)
		}
		for _, m := range x.within.FindAllStringSubmatch(named.Replace(text), -1) {
			at := x.entry.FindAllStringSubmatchIndex(m[1], -1)
			for i, from := range at {
				end := len(m[1])
				if i+1 < len(at) {
					end = at[i+1][0]
				}
				name := m[1][from[2]:from[3]]
				if x.kind == "server" {
					end = from[0] // its tools are compared elsewhere
				}
				entry := strings.TrimRight(m[1][from[0]:end], "\n")
				if strings.HasPrefix(entry, "'") || strings.HasPrefix(entry, `"`) { // names only: the last one has no comma
					entry = strings.TrimRight(entry, ", ") + ", "
				}
				if !slices.Contains(strings.Fields(l.own), name) {
					out = append(out, fmt.Sprintf("%s %q %q\n", x.kind, name, entry))
				}
			}
		}
	}
	slices.Sort(out) // some agents list in the order in which files were read
	return strings.Join(slices.Compact(out), "")
}

// place writes files into the workspace, below "work/", and into the home. A file "link NAME" is a symbolic link to what
// it holds.
func place(t *testing.T, s *sandbox.Sandbox, files []txtar.File) {
	t.Helper()
	for _, f := range files {
		name, link := strings.CutPrefix(f.Name, "link ")
		dir, below, _ := strings.Cut(name, "/")
		path := filepath.Join(map[string]string{"work": s.Workspace, "home": s.Home}[dir], filepath.FromSlash(below))
		if below == "" {
			continue // it is not a file
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		content := strings.NewReplacer("ROOT", s.Workspace, "HOME", s.Home,
			"CTXMCP", filepath.Join(bin, "ctxmcp")).Replace(string(f.Data))
		var err error
		if link {
			err = os.Symlink(strings.TrimSpace(content), path)
		} else {
			err = os.WriteFile(path, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// textsIn returns all texts of a request.
func textsIn(t *testing.T, body []byte) string {
	t.Helper()
	var any any
	if err := json.Unmarshal(body, &any); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	collect(&b, any)
	return b.String()
}

func collect(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		b.WriteString(v + "\n")
	case []any:
		for _, x := range v {
			collect(b, x)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			collect(b, v[name])
		}
	}
}

// at is the environment in which the agent runs.
func at(s *sandbox.Sandbox) env.Env {
	e := env.System()
	e.Home, e.Lookup = s.Home, func(string) string { return "" }
	return e
}
