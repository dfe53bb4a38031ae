package install

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/env"
)

// TestWhatIsOursIsKnownByWhatItStarts, at whatever path and in whatever form; what does other things as well is somebody's.
func TestWhatIsOursIsKnownByWhatItStarts(t *testing.T) {
	for raw, want := range map[string]owner{
		`{"type":"command","command":"/opt/ctxhook","args":["claude-code","SessionEnd"],"timeout":5}`: ours,
		`{"command":"C:\\Program Files\\ctxledger\\ctxhook.exe","args":["claude-code","SessionEnd"]}`: ours,
		`{"command":"/home/me/my bin/ctxhook","args":["claude-code","SessionEnd","--more"]}`:          ours,
		`{"command":"/opt/ctxledger","args":["hook","claude-code","SessionEnd"],"timeout":"5"}`:       ours,
		`{"command":"/opt/ctxledger hook claude-code SessionEnd"}`:                                    ours,
		`{"command":"\"/my bin/ctxhook\" claude-code SessionEnd"}`:                                    ours,
		`{"command":"CTXLEDGER_STATE=/x ctxhook claude-code SessionEnd"}`:                             ours,
		`{"command":"/opt/ctxhook claude-code SessionEnd && notify-send x"}`:                          extended,
		`{"command":"notify-send x; /opt/ctxhook claude-code SessionEnd"}`:                            extended,
		`{"command":"notify-send x; /opt/ctxhook","args":["claude-code","SessionEnd"]}`:               extended,
		`{"command":"nice /opt/ctxhook","args":["claude-code","SessionEnd"]}`:                         extended,
		`{"command":"nice -n 5 /opt/ctxledger hook claude-code SessionEnd"}`:                          extended,
		`{"command":"sh","args":["-c","/opt/ctxhook claude-code SessionEnd | tee /log"]}`:             extended,
		`{"command":"env","args":["/opt/ctxhook"]}`:                                                   extended,
		`{"command":"/opt/ctxledger","args":["status"]}`:                                              foreign,
		`{"command":"cd /src/ctxledger && make"}`:                                                     foreign,
		`{"command":"/src/ctxledger/lint.sh","args":[]}`:                                              foreign,
		`{"command":"my-ctxhook"}`: foreign,
		`{"command":""}`:           foreign,
		`{"command":7,"args":7}`:   foreign,
		`[]`:                       foreign,
		`"/opt/ctxhook"`:           foreign,
	} {
		if got := ownerOf(json.RawMessage(raw)); got != want {
			t.Errorf("hook %s: %d, want %d", raw, got, want)
		}
	}
	for raw, want := range map[string]owner{
		`{"command":"/opt/ctxmcp","args":[]}`:                            ours,
		`{"command":"ctxmcp","env":{"A":"b"}}`:                           ours,
		`{"command":"/my bin/ctxmcp"}`:                                   ours,
		`{"command":["/opt/ctxmcp","--workspace=/x"],"enabled":true}`:    ours,
		`{"transport":{"type":"stdio","command":"/opt/ctxmcp"}}`:         ours,
		`{"command":"/opt/ctxmcp", /* mine */ "args":["--workspace=x"]}`: ours,
		`{"command":"/opt/ctxledger","args":["hook","x"]}`:               ours,
		`{"command":"/opt/acme/ctxledger","args":["serve","--port=9"]}`:  foreign,
		`{"command":"/opt/acme/ctxledger"}`:                              foreign,
		`{"command":["ctxledger","serve"]}`:                              foreign,
		`{"command":"/opt/ctxledger","args":["run","ctxmcp"]}`:           extended,
		`{"command":"sh","args":["-c","exec /opt/ctxmcp"]}`:              extended,
		`{"command":["nice","/opt/ctxmcp"]}`:                             extended,
		`{"type":"http","url":"http://127.0.0.1/ctxmcp"}`:                foreign,
		`{"command":"/my/own"}`:                                          foreign,
		`null`:                                                           foreign,
	} {
		if got := ownerOf(json.RawMessage(raw)); got != want {
			t.Errorf("server %s: %d, want %d", raw, got, want)
		}
	}
}

// TestAnUpgradeBehindAForeignEditIsUninstalled: the ordinary life of ~/.claude.json, which Claude Code writes all the time.
// The copy that was kept at the second installation had our entries in it, and came back.
func TestAnUpgradeBehindAForeignEditIsUninstalled(t *testing.T) {
	c := aCase{files: map[string]string{"home/.claude.json": "{\n  \"a\": 1\n}\n",
		"home/.claude/settings.json": "{}\n"}}
	top, m := c.place(t)
	before := snapshot(t, top)
	h := registry.Of("claude-code")
	for i, dir := range []string{"/opt/bin", "/new/bin", "/newer/bin"} {
		m.Programs = registry.Programs{CLI: dir + "/ctxledger", MCP: dir + "/ctxmcp", Hook: dir + "/ctxhook"}
		p, err := m.Connect(h, registry.User, false)
		if err != nil || len(p.Conflicts) > 0 {
			t.Fatalf("%+v, %v", p, err)
		}
		must(t, m.Write(p))
		c.change(t, top, before, [2]string{fmt.Sprintf(`"a": %d`, i+1), fmt.Sprintf(`"a": %d`, i+2)})
	}
	p, err := m.Disconnect(h, registry.User)
	must(t, err)
	must(t, m.Write(p))
	same(t, "uninstalled", snapshot(t, top), before)
}

// TestAFileThatWeMadeStaysOnceOthersUseIt, also when we have edited it after them.
func TestAFileThatWeMadeStaysOnceOthersUseIt(t *testing.T) {
	const theirs = "{\n  \"theirs\": 1\n}\n"
	_, m := aCase{}.place(t)
	h := registry.Of("gemini")
	path := filepath.Join(m.Home, ".gemini", "settings.json")
	for _, dir := range []string{"/opt/bin", "/new/bin"} {
		m.Programs.MCP = dir + "/ctxmcp"
		p, err := m.Connect(h, registry.User, false)
		must(t, err)
		must(t, m.Write(p))
		raw, err := os.ReadFile(path)
		must(t, err)
		if dir == "/opt/bin" {
			must(t, os.WriteFile(path, append([]byte("{\n  \"theirs\": 1,"), raw[1:]...), 0o600))
		}
	}
	p, err := m.Disconnect(h, registry.User)
	must(t, err)
	must(t, m.Write(p))
	if raw, err := os.ReadFile(path); err != nil || string(raw) != theirs {
		t.Errorf("%q, %v", raw, err)
	}
}

// TestOurHookIsKnownInAGroupThatHoldsMore: somebody put a command of theirs beside ours. Ours is not written a second time,
// follows its program to another place, and theirs stays as it is, also if it starts our program within something else.
func TestOurHookIsKnownInAGroupThatHoldsMore(t *testing.T) {
	t.Run("theirs", func(t *testing.T) { besideOurs(t, `{"type": "command", "command": "theirs"}`, 0) })
	t.Run("extended", func(t *testing.T) { besideOurs(t, `{"type": "command", "command": "/x/ctxhook | tee /y"}`, 1) })
}

// besideOurs puts a command beside ours that starts our program so many times.
func besideOurs(t *testing.T, theirs string, starts int) {
	t.Helper()
	c := aCase{files: map[string]string{"home/.claude/settings.json": "{}\n"}}
	_, m := c.place(t)
	h := registry.Of("claude-code")
	path := filepath.Join(m.Home, ".claude", "settings.json")
	connect := func(changes int) {
		t.Helper()
		p, err := m.Connect(h, registry.User, false)
		if err != nil || len(p.Conflicts) > 0 || len(p.Changes) != changes {
			t.Fatalf("%+v, %v", p, err)
		}
		must(t, m.Write(p))
	}
	connect(2)
	raw, err := os.ReadFile(path)
	must(t, err)
	text := strings.Replace(string(raw), `"hooks": [`+"\n", `"hooks": [ `+theirs+",\n", 1)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	connect(0)
	m.Programs = registry.Programs{CLI: "/new/ctxledger", MCP: "/new/ctxmcp", Hook: "/new/ctxhook"}
	connect(2)
	raw, err = os.ReadFile(path)
	must(t, err)
	if n := strings.Count(string(raw), "ctxhook"); n != 8+starts || strings.Contains(string(raw), "/opt/bin") ||
		!strings.Contains(string(raw), theirs) {
		t.Errorf("%d hooks in %s", n, raw)
	}
	p, err := m.Disconnect(h, registry.User)
	must(t, err)
	must(t, m.Write(p))
	raw, err = os.ReadFile(path)
	must(t, err)
	var now struct{ Hooks map[string][]group }
	if err := json.Unmarshal(raw, &now); err != nil || len(now.Hooks) != 1 ||
		strings.Count(string(raw), "ctxhook") != starts || !strings.Contains(string(raw), theirs) {
		t.Errorf("%v: %s", err, raw)
	}
}

// TestCodexWritesOurTableAnew, as its command `codex mcp add` does: in another order, with other quotes, without the empty
// list, with what its user allowed. It is still ours: connected, updated in its place when the program moves, and removed.
func TestCodexWritesOurTableAnew(t *testing.T) {
	h := registry.Of("codex")
	for what, again := range map[string]string{
		"in a table": "model = 'gpt'\n\n[mcp_servers.ctxledger]\nenv_vars = ['CTXLEDGER_STATE', 'XDG_STATE_HOME']\n" +
			"command = 'PROGRAM'\nenabled = true\n\n[mcp_servers.ctxledger.tools.memory]\napproval_mode = 'approve'\n\n[mcp_servers.z]\n" +
			"command = 'z'\n",
		"in braces": "mcp_servers = { ctxledger = { env_vars = [\"CTXLEDGER_STATE\", \"XDG_STATE_HOME\"], command = \"PROGRAM\", " +
			"startup_timeout_sec = 20 }, z = { command = 'z' } }\nmodel = 'gpt'\n",
	} {
		c := aCase{files: map[string]string{"home/.codex/config.toml": "model = \"gpt\"\n"}}
		_, m := c.place(t)
		path := filepath.Join(m.Home, ".codex", "config.toml")
		connect := func(changes int) {
			t.Helper()
			p, err := m.Connect(h, registry.User, false)
			if err != nil || len(p.Conflicts) > 0 || len(p.Changes) != changes {
				t.Fatalf("%s: %+v, %v", what, p, err)
			}
			must(t, m.Write(p))
		}
		connect(1)
		must(t, os.WriteFile(path, []byte(strings.Replace(again, "PROGRAM", "/opt/bin/ctxmcp", 1)), 0o600))
		connect(0)
		m.Programs.MCP = "/new/ctxmcp"
		connect(1)
		raw, err := os.ReadFile(path)
		must(t, err)
		want := strings.NewReplacer("'PROGRAM'", `"/new/ctxmcp"`, "PROGRAM", "/new/ctxmcp").Replace(again)
		if string(raw) != want {
			t.Errorf("%s: %s, not %s", what, raw, want)
		}
		p, err := m.Disconnect(h, registry.User)
		must(t, err)
		must(t, m.Write(p))
		raw, err = os.ReadFile(path)
		must(t, err)
		tables, err := confedit.Tables(raw, []string{"mcp_servers"})
		if err != nil || len(tables) != 1 || tables["z"] == nil {
			t.Errorf("%s: %v, %v in %s", what, tables, err, raw)
		}
	}
}

// TestWhatSomebodyExtendedIsNamed, with the file and the line, and stays byte by byte.
func TestWhatSomebodyExtendedIsNamed(t *testing.T) {
	const settings = "{\n  \"hooks\": {\n    \"SessionEnd\": [\n      {\"hooks\": [\n        {\"command\": \"/opt/ctxhook claude-code " +
		"SessionEnd && notify-send x\"}\n      ]}\n    ]\n  }\n}\n"
	c := aCase{files: map[string]string{"home/.claude/settings.json": settings,
		"home/.codex/config.toml": "a = 1\n[mcp_servers.ctxledger]\ncommand = \"sh\"\nargs = [\"-c\", \"exec ctxmcp\"]\n"}}
	top, m := c.place(t)
	before := snapshot(t, top)
	for agent, where := range map[string]string{"claude-code": "hooks.SessionEnd.hooks on line 5 of ",
		"codex": "mcp_servers.ctxledger on line 2 of "} {
		h := registry.Of(agent)
		p, err := m.Disconnect(h, registry.User)
		must(t, err)
		if len(p.Left) != 1 || p.Left[0].Agent != h.Name || !strings.HasPrefix(p.Left[0].Why, where) || !p.Empty() {
			t.Errorf("%s: %+v", agent, p)
		}
	}
	same(t, "uninstalled", snapshot(t, top), before)
}

// TestAServerOfAnotherProgramOfOurNameStays: only `ctxledger hook` is ours, in JSON and in TOML.
func TestAServerOfAnotherProgramOfOurNameStays(t *testing.T) {
	c := aCase{files: map[string]string{
		"home/.gemini/settings.json": `{"mcpServers": {"db": {"command": "/opt/acme/ctxledger", "args": ["serve", "--port", "9"]}}}`,
		"home/.codex/config.toml":    "[mcp_servers.mine]\ncommand = \"/home/x/ctxledger\"\nargs = [\"serve\"]\n"}}
	top, m := c.place(t)
	before := snapshot(t, top)
	for _, agent := range []string{"gemini", "codex"} {
		h := registry.Of(agent)
		for _, plan := range []func() (Plan, error){
			func() (Plan, error) { return m.Disconnect(h, registry.User) }, // without an installation
			func() (Plan, error) { return m.Connect(h, registry.User, false) },
			func() (Plan, error) { return m.Disconnect(h, registry.User) },
		} {
			p, err := plan()
			must(t, err)
			must(t, m.Write(p))
		}
	}
	same(t, "uninstalled", snapshot(t, top), before)
}

// TestAHookThatSomebodyExtendedGetsNoSecondBesideIt: our program would run twice. It is a conflict that stays, and --replace
// replaces that command alone.
func TestAHookThatSomebodyExtendedGetsNoSecondBesideIt(t *testing.T) {
	const theirs = `{"command": "theirs"}`
	const pipe = `{"command": "/opt/bin/ctxhook claude-code PostToolUse | tee /tmp/x"}`
	h := registry.Of("claude-code")
	for what, c := range map[string]struct {
		hooks, after string // of the group, and when it was replaced
		conflicts    int
	}{
		"alone":        {pipe, "", 1},
		"beside other": {theirs + ", " + pipe, theirs, 1},
		"beside ours":  {`{"command": "/old/ctxhook", "args": ["claude-code", "PostToolUse"]}, ` + pipe, "", 1},
	} {
		settings := `{"hooks": {"PostToolUse": [{"hooks": [` + c.hooks + `]}]}}`
		_, m := aCase{files: map[string]string{"home/.claude/settings.json": settings}}.place(t)
		m.Programs.Hook = "/opt/bin/ctxhook"
		for range 2 {
			p, err := m.Connect(h, registry.User, false)
			if err != nil || len(p.Conflicts) != c.conflicts {
				t.Fatalf("%s: %+v, %v", what, p, err)
			}
			must(t, m.Write(p))
		}
		path := filepath.Join(m.Home, ".claude", "settings.json")
		raw, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(raw), `[{"hooks": [`+c.hooks+`]}]`) {
			t.Errorf("%s: %s, %v", what, raw, err)
		}
		for _, s := range m.Check(h, registry.User) {
			if s.Entry == "hooks.PostToolUse" && (s.State != Differs || strings.Contains(s.Problem, "tee")) {
				t.Errorf("%s: %+v", what, s)
			}
		}
		p, err := m.Connect(h, registry.User, true)
		must(t, err)
		must(t, m.Write(p))
		raw, err = os.ReadFile(path)
		if s := string(raw); err != nil || strings.Count(s, "ctxhook") != 8 || strings.Contains(s, "tee") ||
			!strings.Contains(s, c.after) {
			t.Errorf("%s: replaced: %s, %v", what, s, err)
		}
	}
}

// TestWhatIsBehindOurServerInItsLineStays, also behind a comment that ends with the line before: the comment had swallowed it.
func TestWhatIsBehindOurServerInItsLineStays(t *testing.T) {
	const own = `"ctxledger": {"command": "/x/ctxmcp", "args": []}`
	for text, want := range map[string]string{
		"\n    \"mine\": {}, // keep\n    OWN, \"second\": {}\n  }\n": "\n    \"mine\": {}, // keep\n     \"second\": {}\n  }\n",
		" // ours\n  OWN, \"second\": {}}":                            " // ours\n   \"second\": {}}",
		"\"mine\": {}, // c\n OWN}, \"z\": 1":                         "\"mine\": {} // c\n }, \"z\": 1",
		"\"mine\": {}, // c\n OWN\n}":                                 "\"mine\": {} // c\n}",
	} {
		text = strings.Replace("{\"mcpServers\": {"+text+"}", "OWN", own, 1)
		want = "{\"mcpServers\": {" + want + "}"
		c := aCase{files: map[string]string{"home/.gemini/settings.json": text}}
		_, m := c.place(t)
		h := registry.Of("gemini")
		p, err := m.Disconnect(h, registry.User)
		must(t, err)
		must(t, m.Write(p))
		raw, err := os.ReadFile(filepath.Join(m.Home, ".gemini", "settings.json"))
		if err != nil || string(raw) != want {
			t.Errorf("%q became %q, %v", text, raw, err)
		}
	}
}

// TestACopyOfAFileThatIsGoneGoesToo: it may hold keys.
func TestACopyOfAFileThatIsGoneGoesToo(t *testing.T) {
	c := aCase{files: map[string]string{"home/.gemini/settings.json": `{"key": "secret"}`}}
	top, m := c.place(t)
	h := registry.Of("gemini")
	p, err := m.Connect(h, registry.User, false)
	must(t, err)
	must(t, m.Write(p))
	must(t, os.Remove(filepath.Join(top, "home", ".gemini", "settings.json")))
	p, err = m.Disconnect(h, registry.User)
	must(t, err)
	if p.Empty() || len(p.Changes) > 0 {
		t.Errorf("%+v", p)
	}
	must(t, m.Write(p))
	if left, _ := os.ReadDir(filepath.Join(m.State, "installed")); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

// BenchmarkManyHooks plans the connection to a settings file with many hooks of others.
func BenchmarkManyHooks(b *testing.B) {
	for _, n := range []int{200, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := make([]string, n)
			for i := range all {
				all[i] = fmt.Sprintf(`{"matcher":"T%d","hooks":[{"type":"command","command":"/usr/bin/x%d"}]}`, i, i)
			}
			text := []byte(`{"hooks":{"PreToolUse":[` + strings.Join(all, ",") + `]}}`)
			h := registry.Of("claude-code")
			f := h.Files(Machine{Env: env.System(), Hooks: config.AllHooks()}.places(registry.User))[1]
			for b.Loop() {
				e := edit{agent: h.Name, file: File{f}, now: present{text: text, exists: true}}
				if _, _, err := e.connect(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
