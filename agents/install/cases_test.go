package install

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

var update = flag.Bool("update", false, "rewrite what the configurations of testdata/cases become")

// A case is a file of testdata/cases. It begins with a sentence about it and with instructions, one a line:
//
//	agent NAME              that is connected (default: claude-code)
//	project                 in the scope of the project
//	crlf, bom, cut          the files have such line ends, begin with such a mark, do not end in a line end
//	mode OCTAL FILE         the file or directory has this mode
//	link FILE TARGET        FILE is a link
//	refused REGEXP          the error: nothing is written
//	ignored REGEXP          why the agent reads nothing of the files that have our entries
//	conflict                an entry of our name is there: it stays, unless it is to be replaced
//	gone                    our entry was made by hand: disconnecting removes it
//	other OLD => NEW        what another program changes before we disconnect
//
// Files follow, each behind a line "-- NAME --". NAME begins with home/ or project/. Those of want/ are what they become;
// go test -update writes them. In them the programs lie in /opt/bin.
type aCase struct {
	agent    string
	scope    registry.Scope
	files    map[string]string
	want     map[string]string
	order    []string // of the files' names
	head     string
	modes    map[string]fs.FileMode
	links    map[string]string
	refused  *regexp.Regexp
	ignored  *regexp.Regexp
	conflict bool
	gone     bool
	others   [][2]string
}

// parseCase reads a case.
func parseCase(t *testing.T, text string) (c aCase) {
	t.Helper()
	c = aCase{agent: "claude-code", scope: registry.User, files: map[string]string{}, want: map[string]string{},
		modes: map[string]fs.FileMode{}, links: map[string]string{}}
	var change []func(string) string
	name := ""
	for line := range strings.Lines(text) {
		if m := regexp.MustCompile(`^-- (\S+) --\n$`).FindStringSubmatch(line); m != nil {
			name = m[1]
			if rest, ok := strings.CutPrefix(name, "want/"); ok {
				c.want[rest] = ""
			} else {
				c.files[name] = ""
				c.order = append(c.order, name)
			}
			continue
		}
		if rest, ok := strings.CutPrefix(name, "want/"); ok {
			c.want[rest] += line
			continue
		}
		if name != "" {
			c.files[name] += line
			continue
		}
		c.head += line
		switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); word {
		case "agent":
			c.agent = rest
		case "project":
			c.scope = registry.Project
		case "crlf":
			change = append(change, func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") })
		case "bom":
			change = append(change, func(s string) string { return "\ufeff" + s })
		case "cut":
			change = append(change, func(s string) string { return strings.TrimRight(s, "\r\n") })
		case "mode":
			var mode fs.FileMode
			var path string
			if _, err := fmt.Sscanf(rest, "%o %s", &mode, &path); err != nil {
				t.Fatal(line, err)
			}
			c.modes[path] = mode
		case "link":
			from, to, _ := strings.Cut(rest, " ")
			c.links[from] = to
		case "refused":
			c.refused = regexp.MustCompile(rest)
		case "ignored":
			c.ignored = regexp.MustCompile(rest)
		case "conflict":
			c.conflict = true
		case "gone":
			c.gone = true
		case "other":
			old, fresh, _ := strings.Cut(rest, " => ")
			c.others = append(c.others, [2]string{old, fresh})
		}
	}
	for name, text := range c.files {
		for _, f := range change {
			text = f(text)
		}
		c.files[name] = text
	}
	return c
}

// place makes the files, and returns the machine that they are on.
func (c aCase) place(t *testing.T) (top string, m Machine) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, dir := range []string{"home", "project", "elsewhere"} {
		must(t, os.Mkdir(filepath.Join(top, dir), 0o700))
	}
	for name, text := range c.files {
		path := filepath.Join(top, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for from, to := range c.links {
		path := filepath.Join(top, filepath.FromSlash(from))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.Symlink(to, path))
	}
	for name, mode := range c.modes {
		path := filepath.Join(top, filepath.FromSlash(name))
		must(t, os.Chmod(path, mode))
		t.Cleanup(func() { _ = os.Chmod(path, 0o700) }) // so that the directory can be removed
	}
	return top, machineAt(top)
}

// machineAt returns the machine whose files are below a directory.
func machineAt(top string) Machine {
	e := env.System()
	e.Home, e.Dir = filepath.Join(top, "home"), filepath.Join(top, "project")
	e.Lookup = func(string) string { return "" }
	return Machine{Env: e, Root: e.Dir, State: filepath.Join(top, "state"),
		Programs: registry.Programs{CLI: "/opt/bin/ctxledger", MCP: "/opt/bin/ctxmcp"}, Hooks: config.AllHooks(),
		TreeHooks: config.AllHooks()}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// snapshot returns everything below a directory but our own state: names with modes, targets and contents.
func snapshot(t *testing.T, top string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(top, path)
		if err != nil || name == "state" {
			return cmpSkip(err)
		}
		info, err := d.Info()
		must(t, err)
		content := ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			content, err = os.Readlink(path)
		case info.Mode().IsRegular():
			var raw []byte
			raw, err = os.ReadFile(path)
			content = string(raw)
		}
		out[filepath.ToSlash(name)] = info.Mode().String() + " " + content
		return err
	}))
	return out
}

func cmpSkip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

// same compares snapshots.
func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if was, ok := want[name]; !ok || was != got[name] {
			t.Errorf("%s: %s is %q, was %q", what, name, got[name], was)
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s: %s is gone", what, name)
		}
	}
}

// TestConfigurations connects an agent twice and disconnects it, in each case of testdata/cases: between them the agent's
// format has our entries, and behind them every file has the bytes, the mode and the place that it had.
func TestConfigurations(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txt")
	must(t, err)
	if len(files) < 40 {
		t.Errorf("only %d cases", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			must(t, err)
			c := parseCase(t, string(text))
			if runtime.GOOS == "windows" && len(c.links)+len(c.modes) > 0 {
				t.Skip("links and modes are other things here")
			}
			c.run(t, file)
		})
	}
}

func (c aCase) run(t *testing.T, file string) {
	t.Helper()
	top, m := c.place(t)
	h := registry.Of(c.agent)
	if h.Files == nil {
		t.Fatalf("no agent %s", c.agent)
	}
	before := snapshot(t, top)
	p, err := m.Connect(h, c.scope, false)
	if c.refused != nil {
		if err == nil || !c.refused.MatchString(err.Error()) || fault.Is(err, fault.Internal) {
			t.Errorf("not refused: %v", err)
		}
		if fault.HintOf(err) == "" {
			t.Errorf("%v: no hint", err)
		}
		same(t, "refused", snapshot(t, top), before)
		return
	}
	must(t, err)
	if (len(p.Conflicts) > 0) != c.conflict {
		t.Fatalf("conflicts %+v", p.Conflicts)
	}
	if c.conflict {
		p, err = m.Connect(h, c.scope, true)
		must(t, err)
	}
	same(t, "planned", snapshot(t, top), before)
	must(t, m.Write(p))
	if (len(p.Ignored) > 0) != (c.ignored != nil) {
		t.Fatalf("ignored: %+v", p.Ignored)
	}
	for _, i := range p.Ignored {
		if !c.ignored.MatchString(i.Why) {
			t.Errorf("not %s: %s", c.ignored, i.Why)
		}
	}
	unread := 0
	for _, st := range m.Check(h, c.scope) {
		switch {
		case st.State == Unread && c.ignored != nil && c.ignored.MatchString(st.Problem):
			unread++
		case st.State != Connected:
			t.Errorf("%+v", st)
		}
	}
	if unread != len(p.Ignored) {
		t.Errorf("%d files are said to be ignored when it was planned, %d afterwards", len(p.Ignored), unread)
	}
	c.compare(t, file, top)
	after := snapshot(t, top)
	if p, err = m.Connect(h, c.scope, false); err != nil || len(p.Changes)+len(p.Conflicts) > 0 || len(p.Same) != 1 {
		t.Errorf("the second time: %+v, %v", p, err)
	}
	must(t, m.Write(p))
	same(t, "the second time", snapshot(t, top), after)
	for _, o := range c.others {
		c.change(t, top, before, o)
	}
	p, err = m.Disconnect(h, c.scope)
	must(t, err)
	must(t, m.Write(p))
	if c.gone {
		for name, text := range snapshot(t, top) {
			if strings.Contains(text, "ctxmcp") || strings.Contains(text, "/ctxledger") {
				t.Errorf("%s has %q", name, text)
			}
		}
		return
	}
	same(t, "disconnected", snapshot(t, top), before)
	if left, err := os.ReadDir(filepath.Join(m.State, "installed")); err == nil && len(left) > 0 {
		t.Errorf("%d receipts are left", len(left))
	}
}

// change is what another program does to the files, and so to what they are to become again.
func (c aCase) change(t *testing.T, top string, before map[string]string, o [2]string) {
	t.Helper()
	changed := false
	for name := range c.files {
		path := filepath.Join(top, filepath.FromSlash(name))
		raw, err := os.ReadFile(path)
		must(t, err)
		if !bytes.Contains(raw, []byte(o[0])) {
			continue
		}
		changed = true
		must(t, os.WriteFile(path, bytes.Replace(raw, []byte(o[0]), []byte(o[1]), 1), 0o644))
		before[name] = strings.Replace(before[name], o[0], o[1], 1)
	}
	if !changed {
		t.Fatalf("nothing has %q", o[0])
	}
}

// compare compares what the files became with the case, or writes it.
func (c aCase) compare(t *testing.T, file, top string) {
	t.Helper()
	got := map[string]string{}
	for name, text := range snapshot(t, top) {
		mode, content, _ := strings.Cut(text, " ")
		if !strings.HasPrefix(mode, "-") || c.files[name] == content && content != "" {
			continue
		}
		if len(content) > 10_000 {
			continue // of a huge one enough is checked
		}
		content = strings.ReplaceAll(strings.ReplaceAll(content, "\r\n", "<CRLF>\n"), "\ufeff", "<BOM>")
		if !strings.HasSuffix(content, "\n") {
			content += "<CUT>\n"
		}
		got[name] = content
	}
	if !*update {
		if !maps.Equal(got, c.want) {
			t.Errorf("became (-update writes it) %q, want %q", got, c.want)
		}
		return
	}
	raw, err := os.ReadFile(file)
	must(t, err)
	kept, _, _ := strings.Cut(string(raw), "-- want/")
	for _, name := range slices.Sorted(maps.Keys(got)) {
		kept += "-- want/" + name + " --\n" + got[name]
	}
	must(t, os.WriteFile(file, []byte(kept), 0o600))
}

// TestNothingIsHalfWritten: a plan is for several files, and one of them cannot be written.
func TestNothingIsHalfWritten(t *testing.T) {
	c := parseCase(t, "x\n-- home/.claude.json --\n{\"a\": 1}\n-- home/.claude/settings.json --\n{}\n")
	h := registry.Of("claude-code")
	for name, damage := range map[string]func(m Machine, p *Plan){
		"no JSON meanwhile": func(m Machine, p *Plan) {
			must(t, os.WriteFile(p.Changes[1].Path, []byte(`{"b": 2`), 0o644))
		},
		"no room for receipts": func(m Machine, p *Plan) {
			must(t, os.MkdirAll(m.State, 0o700))
			must(t, os.WriteFile(filepath.Join(m.State, "installed"), nil, 0o600))
		},
		"a directory in the place of the file": func(m Machine, p *Plan) {
			must(t, os.Remove(p.Changes[1].Path))
			must(t, os.Mkdir(p.Changes[1].Path, 0o700))
		},
	} {
		top, m := c.place(t)
		p, err := m.Connect(h, registry.User, false)
		must(t, err)
		if len(p.Changes) != 2 {
			t.Fatalf("%+v", p)
		}
		damage(m, &p)
		before := snapshot(t, top)
		if err := m.Write(p); err == nil {
			t.Errorf("%s: written", name)
		}
		same(t, name, snapshot(t, top), before)
	}
}

// TestAFailureInTheMiddleIsRolledBack: the first file is in its place when the second one fails.
func TestAFailureInTheMiddleIsRolledBack(t *testing.T) {
	c := parseCase(t, "x\n-- home/.claude.json --\n{\"a\": 1}\n-- home/.claude/settings.json --\n{}\n")
	top, m := c.place(t)
	h := registry.Of("claude-code")
	p, err := m.Connect(h, registry.User, false)
	must(t, err)
	before := snapshot(t, top)
	// The receipt of the second file cannot be written: a directory is in its place.
	must(t, os.MkdirAll(filepath.Join(m.receiptFile(p.Changes[1].at.real), "x"), 0o700))
	if err := m.Write(p); err == nil {
		t.Error("written")
	}
	same(t, "rolled back", snapshot(t, top), before)
	if m.stored(p.Changes[0].at.real) != nil {
		t.Error("a receipt is left")
	}
}

// TestAMovedProgramIsUpdated: what was written is replaced without asking when the program lies elsewhere, and the first
// bytes come back all the same.
func TestAMovedProgramIsUpdated(t *testing.T) {
	for _, h := range Hosts() {
		c := aCase{files: map[string]string{"home/.claude.json": "{\n  \"a\": 1\n}\n",
			"home/.codex/config.toml":    "a = 1",
			"home/.claude/settings.json": `{"hooks": {"SessionEnd": [{"hooks": []}]}}`}}
		top, m := c.place(t)
		before := snapshot(t, top)
		for _, dir := range []string{"/opt/bin", "/usr/local/bin", "/home/me/bin"} {
			m.Programs = registry.Programs{CLI: dir + "/ctxledger", MCP: dir + "/ctxmcp"}
			if dir != "/opt/bin" { // there first without the program for hooks, as in earlier versions
				m.Programs.Hook = dir + "/ctxhook"
			}
			p, err := m.Connect(h, registry.User, false)
			if err != nil || len(p.Conflicts) > 0 || len(p.Changes) == 0 {
				t.Fatalf("%s: %+v, %v", h.Name, p, err)
			}
			must(t, m.Write(p))
		}
		for _, st := range m.Check(h, registry.User) {
			if st.State != Connected || st.Program != m.Programs.MCP && st.Program != m.Programs.Hook {
				t.Errorf("%s: %+v", h.Name, st)
			}
		}
		p, err := m.Disconnect(h, registry.User)
		must(t, err)
		must(t, m.Write(p))
		same(t, string(h.Name), snapshot(t, top), before)
	}
}

// TestWithoutReceiptsOnlyOurEntriesGo: the state directory was lost.
func TestWithoutReceiptsOnlyOurEntriesGo(t *testing.T) {
	for _, h := range Hosts() {
		c := aCase{files: map[string]string{"home/.codex/config.toml": "a = 1\n"}}
		top, m := c.place(t)
		p, err := m.Connect(h, registry.User, false)
		must(t, err)
		must(t, m.Write(p))
		must(t, os.RemoveAll(m.State))
		if p, err = m.Disconnect(h, registry.User); err != nil || len(p.Changes) == 0 {
			t.Fatalf("%s: %+v, %v", h.Name, p, err)
		}
		must(t, m.Write(p))
		for name, text := range snapshot(t, top) {
			if strings.Contains(text, "ctxmcp") || strings.Contains(text, "ctxledger") {
				t.Errorf("%s: %s has %s", h.Name, name, text)
			}
		}
	}
}

// TestForeignEntriesStay: what somebody else named like us is never removed.
func TestForeignEntriesStay(t *testing.T) {
	c := aCase{files: map[string]string{
		"home/.claude.json":                      `{"mcpServers":{"ctxledger":{"command":"/my/own"}}}`,
		"home/.codex/config.toml":                "[mcp_servers.ctxledger]\ncommand = \"/my/own\"\n",
		"home/.pi/agent/extensions/ctxledger.ts": "// mine\n"}}
	for _, agent := range []string{"claude-code", "codex", "pi"} {
		top, m := c.place(t)
		h := registry.Of(agent)
		before := snapshot(t, top)
		p, err := m.Disconnect(h, registry.User)
		must(t, err)
		if len(p.Changes) > 0 {
			t.Errorf("%s: %+v", agent, p)
		}
		must(t, m.Write(p))
		same(t, agent, snapshot(t, top), before)
	}
}

// TestReceiptsAreForTheUserAlone: they hold whole configurations, with the keys in them.
func TestReceiptsAreForTheUserAlone(t *testing.T) {
	c := aCase{files: map[string]string{"home/.claude.json": `{"primaryApiKey":"secret"}`}}
	_, m := c.place(t)
	h := registry.Of("claude-code")
	p, err := m.Connect(h, registry.User, false)
	must(t, err)
	must(t, m.Write(p))
	dir := filepath.Join(m.State, "installed")
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 2 {
		t.Errorf("%d receipts", len(entries))
	}
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		if !json.Valid(raw) {
			t.Errorf("%s", raw)
		}
	}
}
