package given_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/given"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

var update = flag.Bool("update", false, "rewrite what agents are given in testdata")

// TestCases plays testdata/*.txtar: a session, and what agents of it are given. To add a case, write a file of sections and
// run the test with -update:
//
//	-- file NAME --, -- home NAME --  a file of the workspace, of the user's home; SESSION stands for the session in a name
//	-- messages --                    messages of the session, a JSON object in a line
//	-- note --                        notes of an agent, as JSON
//	-- assemble AGENT [TASK] --       followed by what that agent is given, written by -update
//	-- handoff FROM TO --             followed by what is handed over
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(raw))
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if got != string(raw) {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

// world is a workspace with a ledger and one session.
type world struct {
	t       *testing.T
	env     env.Env
	root    string
	l       *engine.Local
	session string
}

var sectionHead = regexp.MustCompile(`(?m)^-- (.+) --\n`)

// play returns a case with what its agents are given now.
func play(t *testing.T, raw string) string {
	w := newWorld(t)
	heads := sectionHead.FindAllStringSubmatchIndex(raw, -1)
	out := raw[:heads[0][0]]
	for i, at := range heads {
		end := len(raw)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		head, text := raw[at[2]:at[3]], raw[at[1]:end]
		if head == "gives" {
			continue
		}
		out += "-- " + head + " --\n" + text
		out += w.do(strings.SplitN(head, " ", 3), text)
	}
	return out
}

// newWorld opens a ledger with a session of a host that hands in its messages.
func newWorld(t *testing.T) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: filepath.Join(top, "work")}
	n := byte(0)
	w.env = env.Env{
		Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) },
		Random: func(p []byte) {
			n++
			for i := range p {
				p[i] = n
			}
		},
		Lookup: func(string) string { return "" }, Dir: w.root, Home: filepath.Join(top, "home"), Temp: top,
	}
	if err := os.MkdirAll(w.root, 0o700); err != nil {
		t.Fatal(err)
	}
	if w.l, err = engine.Open(t.Context(), engine.Options{State: filepath.Join(top, "state"), Workspace: w.root,
		Env: w.env}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.l.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// do does what a section says, and returns what is to follow it.
func (w *world) do(words []string, text string) string {
	w.t.Helper()
	switch words[0] {
	case "file":
		w.write(filepath.Join(w.root, words[1]), text)
	case "home":
		slug := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(filepath.ToSlash(w.root), "/"), "/", "-"))
		name := strings.NewReplacer("SESSION", w.session, "SLUG", slug).Replace(words[1])
		w.write(filepath.Join(w.env.Home, name), text)
	case "messages":
		w.hand(text)
	case "note":
		n := sessions.Notes{}
		w.decode(text, &n)
		if _, err := w.l.KeepNotes(w.t.Context(), ledger.KeepNotesRequest{Session: w.session, Notes: n}); err != nil {
			w.t.Fatal(err)
		}
	case "assemble", "handoff":
		return "-- gives --\n" + w.given(words)
	default:
		w.t.Fatalf("unknown section %q", words)
	}
	return ""
}

// given returns what an agent is given, as text.
func (w *world) given(words []string) string {
	w.t.Helper()
	c, problems := config.Load(w.env, w.root, "")
	for _, p := range problems {
		if p.Severity != config.Note {
			w.t.Fatal(p)
		}
	}
	s, err := w.l.Session(w.t.Context(), ledger.SessionRequest{Name: w.session})
	if err != nil {
		w.t.Fatal(err)
	}
	r := given.Request{Spec: c.Given, Agent: words[1], Session: s, Root: w.root, Env: w.env}
	var a given.Assembled
	if words[0] == "handoff" {
		r.Agent = words[2]
		if a, err = given.HandOff(w.t.Context(), w.l, r, words[1]); err == nil {
			return a.Handoff + "\n" + w.event()
		}
	} else {
		if len(words) > 2 {
			r.Task = words[2]
		}
		a, err = given.Assemble(w.t.Context(), w.l, r)
	}
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, m := range a.Messages {
		fmt.Fprintf(&b, "(%s)\n%s\n", m.Role, m.Text)
	}
	return b.String() + w.event()
}

// event returns what the newest event says.
func (w *world) event() string {
	w.t.Helper()
	page, err := w.l.WaitEvents(w.t.Context(), ledger.WaitEventsRequest{Kinds: []string{ledger.EventAssembly}})
	if err != nil || len(page.Events) == 0 {
		w.t.Fatal(err, "no event")
	}
	return "(event) " + string(page.Events[len(page.Events)-1].Data) + "\n"
}

// hand hands in messages.
func (w *world) hand(text string) {
	w.t.Helper()
	var all [][]byte
	for line := range strings.Lines(text) {
		all = append(all, []byte(strings.TrimSpace(line)))
	}
	done, err := w.l.AppendMessages(w.t.Context(), ledger.AppendMessagesRequest{Host: "mcp", Session: w.session,
		Messages: all, Since: w.session != ""})
	if err != nil {
		w.t.Fatal(err)
	}
	w.session = done.Session
}

func (w *world) write(path, content string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) decode(text string, into any) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		w.t.Fatal(err, text)
	}
}

// TestNoFileOutsideIsGiven: not through a link, and none that looks like it holds secrets.
func TestNoFileOutsideIsGiven(t *testing.T) {
	w := newWorld(t)
	w.hand(`{"role":"user","content":"Go."}`)
	outside := filepath.Join(w.env.Temp, "outside.md")
	w.write(outside, "OUTSIDE")
	w.write(filepath.Join(w.root, "keys", "id_rsa"), "OUTSIDE")
	w.write(filepath.Join(w.root, "inside.md"), "INSIDE")
	for link, to := range map[string]string{"out.md": outside, "dir": w.env.Temp, "in.md": "inside.md",
		".gitignore": outside} {
		if err := os.Symlink(to, filepath.Join(w.root, link)); err != nil {
			t.Skip(err) // a system without links
		}
	}
	w.write(filepath.Join(w.root, "ctxledger.yaml"), "agents: [{name: A, context: [{source: file:out.md}, "+
		"{source: file:dir/outside.md}, {source: file:keys/id_rsa}, {source: file:in.md}]}]\n")
	got := w.given([]string{"assemble", "A"})
	if strings.Contains(got, "OUTSIDE") || !strings.Contains(got, "## in.md\nINSIDE\n") ||
		!strings.Contains(got, `"empty_sources":["file:out.md","file:dir/outside.md","file:keys/id_rsa"]`) {
		t.Error(got)
	}
	if block := given.Ignored(w.root); block != "" {
		t.Error(block)
	}
}

func TestIgnoredShowsAHundredLines(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"none", "", ""},
		{"Windows line ends", "/a\r\n/b\r\n", "## .gitignore\n```\n/a\n/b\n```"},
		{"a hundred", strings.Repeat("/a\n", 100), "## .gitignore\n```\n" + strings.Repeat("/a\n", 100) + "```"},
		{"one more", strings.Repeat("/a\n", 101),
			"## .gitignore\n```\n" + strings.Repeat("/a\n", 100) + "[... 1 more lines]\n```"},
		{"a fence", "````\n", "## .gitignore\n`````\n````\n`````"},
		{"a long line", strings.Repeat("x", 501), "## .gitignore\n```\n" + strings.Repeat("x", 499) + "…\n```"},
		{"no text", "\xff\xfe/\x00a", ""},
	} {
		dir := t.TempDir()
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := given.IgnoredWhole(dir); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	if err := os.Mkdir(filepath.Join(t.TempDir(), ".gitignore"), 0o700); err != nil {
		t.Fatal(err)
	}
	if given.IgnoredWhole(t.TempDir()+"/nowhere") != "" {
		t.Error("a directory that is not there")
	}
}

// TestAnAgentIsToldWhereItRunsBeforeItsTask: the environment and the indexes come first, as the configuration says, and stay
// within their budget.
func TestAnAgentIsToldWhereItRunsBeforeItsTask(t *testing.T) {
	w := newWorld(t)
	w.hand(`{"role":"user","content":"Go."}`)
	w.write(filepath.Join(w.root, ".gitignore"), strings.Repeat("/build-output-of-the-day\n", 300))
	for i := range 200 {
		w.write(filepath.Join(w.root, fmt.Sprintf("docs/page-%d.md", i)), "# Page\n")
	}
	_, err := w.l.SaveMemory(t.Context(), ledger.SaveMemoryRequest{Entry: memory.Entry{Name: "rule", Type: "feedback",
		Body: strings.Repeat("Ask before you deploy. ", 900)[:4000]}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, settings string
		has, lacks     []string
	}{
		{"by default", "", []string{"## Runtime Environment\nOS: ", "Date/time: 2026-11-20 12:00:00", "## .gitignore",
			"[... ", "MEMORY — facts"}, []string{"page-0"}},
		{"with documents", "index: {references: [docs]}\n", []string{"## Runtime Environment", "page-0.md"}, nil},
		{"switched off", "hooks: {environment: false, memory: false}\n", nil,
			[]string{"Runtime", "gitignore", "MEMORY"}},
	} {
		w.write(filepath.Join(w.root, "ctxledger.yaml"), c.settings+
			"agents: [{name: A, context: [{source: file:docs/page-1.md}]}]\n")
		set, problems := config.Load(w.env, w.root, "")
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		s, err := w.l.Session(t.Context(), ledger.SessionRequest{Name: w.session})
		if err != nil {
			t.Fatal(err)
		}
		a, err := given.Assemble(t.Context(), w.l, given.Request{Spec: set.Given, Agent: "A", Session: s, Root: w.root,
			Env: w.env, Told: given.ToldBy(set, given.FactShell)})
		if err != nil {
			t.Fatal(err)
		}
		told := ""
		if len(c.has) > 0 {
			told = a.Messages[0].Text
		}
		all := a.Text()
		for _, text := range c.has {
			if !strings.Contains(told, text) {
				t.Errorf("%s: no %q in %q", c.name, text, told)
			}
		}
		for _, text := range append(c.lacks, "Shell: ") {
			if strings.Contains(all, text) {
				t.Errorf("%s: %q in %q", c.name, text, all)
			}
		}
		if n := memory.Tokens(told); n > given.MaxTold {
			t.Errorf("%s: %d tokens", c.name, n)
		}
		if at := len(c.has); at > 0 && a.Messages[1].Text != "Go." || at == 0 && a.Messages[0].Text != "Go." {
			t.Errorf("%s: the task does not follow: %q", c.name, a.Messages)
		}
	}
}
