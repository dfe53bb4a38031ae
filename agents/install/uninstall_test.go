package install

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/confedit"
)

var everything = flag.Bool("everything", false, "test every combination of what happens before uninstalling, not a choice")

// others is what other programs and people have in the starting files; it is there at the end as well.
var jsonStarts = []string{"", "\n", "\ufeff", "{}", "{ }", "{\n}\n", "\ufeff{}\r\n", "{ /* c */ }", "{\n  // c\n}\n",
	"{\n  \"TOP\": { // theirs\n    \"OTHER\": OTHERVALUE }, \"a\": 1\n}", "{\"a\": 1}\n", "{\n  \"a\": 1\n}\n", "{\n\t\"a\": [1, 2]\n}", "{\r\n    \"a\": {\"b\": null}\r\n}\r\n",
	"{\"a\":1,}", "{\n  \"a\": 1, // one\n}\n", "{\n  \"a\": 1 // one\n  , \"b\": 2\n}\n", "\ufeff{\r\n\t\"a\": 1\r\n}",
	`{"TOP":{}}`, `{"TOP": { }, "a": 1}`, "{\n  \"TOP\": {\n  }\n}\n", "{\n  \"TOP\": {\n    // none\n  }\n}\n",
	`{"TOP":{"OTHER":OTHERVALUE}}`, "{\n  \"TOP\": {\n    \"OTHER\": OTHERVALUE\n  },\n  \"a\": 1\n}\n",
	"{\n\t\"TOP\": {\n\t\t\"OTHER\": OTHERVALUE, // theirs\n\t},\n}\n", "{\r\n  \"TOP\": { \"OTHER\": OTHERVALUE }\r\n}\r\n",
	"{\"z\": {\"TOP\": {\"OTHER\": OTHERVALUE}}}", "{\n   \"TOP\":\n   {\n   \"OTHER\":\n   OTHERVALUE\n   }\n}",
	"{\"TOP\": {\"OTHER\": OTHERVALUE /* x */ , }}", "{\"a\": \"// ctx, }\", \"TOP\": {}}", "{\"ünï\": \"\\u00e9\"}",
	"{\n  \"TOP\": {\n    \"OTHER\": OTHERVALUE,\n\n    \"OTHER2\": OTHERVALUE\n  }\n}\n",
	"{\"a\":{\"b\":{\"c\":{\"d\":[]}}},\"TOP\":{\"OTHER\":OTHERVALUE}}", "/* head */ {\"a\": 1} // tail\n",
	"{\n\n  \"a\": 1,\n\n\n  \"b\": 2\n\n}\n\n", "  {\"a\": 1}  ", "{\"a\": 12345678901234567890, \"b\": 1.50}",
	"{\n  \"TOP\": {\"OTHER\": OTHERVALUE,\n    \"OTHER2\": OTHERVALUE}}", "{\n  \"TOP\": {\n    \"OTHER\": OTHERVALUE, // one\n    /* c */ }, \"a\": 1}\n", "{\"TOP\": {}, \"b\": {}, \"c\": []}\n"}

var tomlStarts = []string{"", "\n", "\ufeff", "# only\n", "a = 1", "a = 1\n", "a = 1\r\nb = 2\r\n",
	"\ufeffa = 1\r\n[b]\r\nc = 2\r\n",
	"[mcp_servers]\n", "[mcp_servers.other]\ncommand = \"x\"\n", "[mcp_servers.other]\ncommand = \"x\"\nargs = [\n  \"a\", # a\n]\n",
	"[mcp_servers]\nother = { command = 'x' }\n", "[mcp_servers]\nother.command = 'x'\n",
	"a = '''\n[mcp_servers.ctxledger]\n'''\n",
	"[b]\nc = 1\n\n# about d\n[d]\n", "[[p]]\nn = 1\n[[p]]\nn = 2\n", "\ta = 1\n\t[b]\n\tc = 1\n", "a = 1 # one\n\n\n",
	"[b]\nc = \"\"\"\nx\n# y\n\"\"\"", "[mcp_servers.other]\ncommand = \"x\"\n[mcp_servers.other.env]\nA = \"1\"\n", "\"a b\" = 1\n'c'.d = 2\n",
	"[mcp_servers.\"other one\"]\ncommand = \"x\"\n", "d = 2026-01-02T03:04:05Z\ni = 0x1F\n",
	"# c\r\n[b] # b\r\n", "a = [\n1,\n2,\n]\n",
	"a = {b = 1, c = [2]}\n", "[a.b.c]\nd = 1\n[a]\ne = 2\n", "[mcp_servers.z]\ncommand = \"z\"\n\n[mcp_servers.a]\ncommand = \"a\"\n",
	"model = \"gpt\"\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n", "\n\n\na = 1\n", "[b]\n", "[b]", "a = -0.0\n", "a = \"\\u00e9\"\n",
	"a = 1\n#c", "[b]\r\nc = 1", "[mcp_servers.o]\nurl = \"http://x\"\n[tui]\nx = 1\n",
	"a = true\n[[b.c]]\nd = 1\n", "[b]\n# in b\n\n",
	"[a]\n[a.b]\n[c]\n"}

// dimensions are what can happen between the first connecting and disconnecting, by its number of forms: what another
// program does first, whether we connect a second time and from where, what the user does to our entries, and what another
// program does at last.
var dimensions = []int{4, 4, 6, 4}

// combinations returns choices of one form of each: all of them, or so many that each two forms of two dimensions meet.
func combinations(r *rand.Rand) (out [][]int) {
	all := [][]int{{}}
	for _, n := range dimensions {
		var longer [][]int
		for _, c := range all {
			for i := range n {
				longer = append(longer, append(slices.Clone(c), i))
			}
		}
		all = longer
	}
	if *everything {
		return all
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	met := map[[4]int]bool{}
	for _, c := range all {
		fresh := false
		for a := range c {
			for b := range a {
				pair := [4]int{a, c[a], b, c[b]}
				fresh = fresh || !met[pair]
				met[pair] = true
			}
		}
		if fresh {
			out = append(out, c)
		}
	}
	return out
}

// TestUninstallLeavesNothingOfOursAndEverythingOfOthers: for each file of each agent, from 40 starting files, after other
// programs, second installations from other places and edits of our entries no entry of ours is left but one that the user
// extended, which is named; and what others have is what it would be if we had never been there.
func TestUninstallLeavesNothingOfOursAndEverythingOfOthers(t *testing.T) {
	if len(jsonStarts) != 40 || len(tomlStarts) != 40 {
		t.Fatalf("%d and %d files", len(jsonStarts), len(tomlStarts))
	}
	for _, h := range Hosts() {
		t.Run(string(h.Name), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(36, uint64(len(h.Name))))
			_, m := aCase{}.place(t)
			n, chosen := 0, combinations(r)
			for i := range jsonStarts {
				all := chosen
				if !*everything { // each file meets two, and together they meet all
					at := 2 * i % (len(chosen) - 1)
					all = [][]int{{0, 0, 0, 0}, chosen[at], chosen[at+1]}
				}
				for _, c := range all {
					l := life{t: t, h: h, m: m, start: i, choice: c}
					l.live()
					n++
				}
			}
			t.Logf("%d lives", n)
		})
	}
}

// life is what happens to the files of an agent.
type life struct {
	t      *testing.T
	h      registry.Agent
	m      Machine
	start  int
	choice []int
	keys   int  // how many values others have added
	kept   bool // the user extended an entry of ours
}

func (l *life) failf(f File, format string, args ...any) {
	l.t.Helper()
	l.t.Fatalf("%s, start %d, choice %v: %s", filepath.Base(f.Path), l.start, l.choice, fmt.Sprintf(format, args...))
}

// starting returns the text with which a file begins.
func (f File) starting(n int) string {
	switch {
	case f.Table != nil:
		return tomlStarts[n]
	case f.Whole != "":
		return ""
	}
	value := `{"command":"y"}`
	other := "other"
	if f.Entries[0].List {
		value, other = `[{"matcher":"Bash","hooks":[{"type":"command","command":"y"}]}]`, "PreToolUse"
	}
	return strings.NewReplacer("TOP", f.Entries[0].Path[0], "OTHERVALUE", value, "OTHER2", "Stop", "OTHER", other).
		Replace(jsonStarts[n])
}

// live lets it all happen, and looks at the end.
func (l *life) live() {
	l.t.Helper()
	must(l.t, os.RemoveAll(l.m.Home))
	must(l.t, os.RemoveAll(l.m.State))
	must(l.t, os.Mkdir(l.m.Home, 0o700))
	files := l.m.files(l.h, registry.User)
	want := map[string][]byte{}
	for _, f := range files {
		if text := f.starting(l.start); text != "" {
			must(l.t, os.MkdirAll(filepath.Dir(f.Path), 0o700))
			must(l.t, os.WriteFile(f.Path, []byte(text), 0o600))
			want[f.Path] = []byte(text)
		}
	}
	l.m.Programs = registry.Programs{CLI: "/opt/bin/ctxledger", MCP: "/opt/bin/ctxmcp"}
	l.connect()
	l.foreign(l.choice[0], want)
	switch l.choice[1] {
	case 1: // upgraded in its place: with a program for hooks
		l.m.Programs.Hook = "/opt/bin/ctxhook"
		l.connect()
	case 2: // moved, to a place with a space
		l.m.Programs = registry.Programs{CLI: "/home/me/my bin/ctxledger", MCP: "/home/me/my bin/ctxmcp",
			Hook: "/home/me/my bin/ctxhook"}
		l.connect()
	case 3: // twice
		l.connect()
		l.m.Programs = registry.Programs{CLI: "/a/ctxledger", MCP: "/a/ctxmcp", Hook: "/a/ctxhook"}
		l.connect()
	}
	l.edit(l.choice[2], want)
	l.foreign(l.choice[3], want)
	p, err := l.m.Disconnect(l.h, registry.User)
	must(l.t, err)
	must(l.t, l.m.Write(p))
	for _, f := range l.m.files(l.h, registry.User) {
		l.compare(f, want, p)
	}
	if left, _ := filepath.Glob(filepath.Join(l.m.State, "installed", "*")); len(left) > 0 {
		l.failf(files[0], "receipts are left")
	}
}

func (l *life) connect() {
	l.t.Helper()
	p, err := l.m.Connect(l.h, registry.User, false)
	must(l.t, err)
	must(l.t, l.m.Write(p))
}

// change changes each file, as it is, by a function; and what the file would be without us, if others do it.
func (l *life) change(want map[string][]byte, do func(f File, text []byte) []byte) {
	for _, f := range l.m.files(l.h, registry.User) {
		text, err := os.ReadFile(f.Path)
		if err != nil || f.Whole != "" {
			continue
		}
		must(l.t, os.WriteFile(f.Path, do(f, text), 0o600))
		if want != nil {
			want[f.Path] = do(f, want[f.Path])
		}
	}
}

// foreign is what another program does: nothing, a value of its own, the whole file in a form of its own, or both.
func (l *life) foreign(n int, want map[string][]byte) {
	if n&1 != 0 {
		l.keys++
		key := fmt.Sprintf("theirs%d", l.keys)
		l.change(want, func(f File, text []byte) []byte {
			if f.Table != nil {
				return append([]byte("\""+key+"\" = 1\n"), bytes.TrimPrefix(text, []byte("\ufeff"))...)
			}
			out, err := confedit.Add(text, confedit.Entry{Path: []string{key}, Value: json.RawMessage(`[1]`)}, nil)
			must(l.t, err)
			return out
		})
	}
	if n&2 != 0 {
		l.change(want, func(f File, text []byte) []byte {
			if empty(text) {
				return text
			}
			out, err := l.parsed(f, text)
			must(l.t, err)
			if f.Table != nil {
				raw, err := toml.Marshal(out)
				must(l.t, err)
				return raw
			}
			raw, err := json.MarshalIndent(out, "", " ")
			must(l.t, err)
			return raw
		})
	}
}

// edit is what the user does to our entries.
func (l *life) edit(n int, want map[string][]byte) {
	l.change(nil, func(f File, text []byte) []byte {
		s := string(text)
		if f.Table != nil {
			return []byte(l.editTable(n, s))
		}
		if !f.Entries[0].List {
			return l.editServer(n, f, text)
		}
		return l.editHooks(n, f, text, want)
	})
}

// editTable: a table below ours, other members, other quotes, a copy.
func (l *life) editTable(n int, s string) string {
	switch n {
	case 1:
		return s + "\n[mcp_servers.ctxledger.tools.memory]\napproval_mode = \"approve\"\n"
	case 2:
		at := strings.LastIndex(s, "[mcp_servers.ctxledger]") + len("[mcp_servers.ctxledger]")
		return s[:at] + "\nstartup_timeout_sec = 20" + s[at:]
	case 3:
		return s + "\n[mcp_servers.copy]\ncommand = \"/other/ctxmcp\"\n"
	}
	return s
}

// editServer: another member, a copy under another name, arguments.
func (l *life) editServer(n int, f File, text []byte) []byte {
	_, found, err := confedit.Find(text, f.Entries[0], nil)
	must(l.t, err)
	var entry map[string]any
	must(l.t, json.Unmarshal(found, &entry))
	path := f.Entries[0].Path
	switch n {
	case 1:
		entry["env"] = map[string]any{"A": "b"}
	case 2:
		path = []string{path[0], "copy"}
	case 3:
		entry["disabled"] = true
	default:
		return text
	}
	out, err := confedit.Add(text, confedit.Entry{Path: path, Value: registry.JSON(entry)}, nil)
	must(l.t, err)
	return out
}

// editHooks: a second hook in our group, our group twice, another time, an extended command, our hook in a group of theirs.
func (l *life) editHooks(n int, f File, text []byte, want map[string][]byte) []byte {
	e := f.Entries[0]
	_, found, err := confedit.Find(text, e, mineOf(e))
	must(l.t, err)
	g := groupOf(found)
	put := func(hooks ...any) []byte {
		raw := bytes.Replace(text, found, registry.JSON(map[string]any{"hooks": hooks}), 1)
		return raw
	}
	theirs := map[string]any{"type": "command", "command": "z"}
	stays := func(hook any) { // without us the group is there with theirs alone
		w := want[f.Path]
		own := registry.JSON(map[string]any{"hooks": []any{hook}})
		out, err := confedit.Add(w, confedit.Entry{Path: e.Path, List: true, Value: own}, mineOf(e))
		must(l.t, err)
		want[f.Path] = out
	}
	switch n {
	case 1:
		defer stays(theirs)
		return put(g.hooks[0], theirs)
	case 2:
		return bytes.Replace(text, found, append(append(bytes.Clone(found), ", "...), found...), 1)
	case 3:
		var own map[string]any
		must(l.t, json.Unmarshal(g.hooks[0], &own))
		own["timeout"], own["note"] = 99, "mine"
		return put(own)
	case 4:
		l.kept = true
		program, args, _ := startedOf(g.hooks[0])
		line := "'" + program + "' " + strings.Join(args, " ") + " && notify-send x"
		own := map[string]any{"type": "command", "command": line}
		defer stays(own)
		return put(own)
	case 5:
		defer stays(theirs)
		return put(theirs, g.hooks[0], g.hooks[0])
	}
	return text
}

// parsed returns what a text says.
func (l *life) parsed(f File, text []byte) (out map[string]any, err error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if f.Table != nil {
		return out, toml.Unmarshal(text, &out)
	}
	if empty(text) {
		return nil, nil
	}
	plain, _ := confedit.Plain(text)
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	return out, d.Decode(&out)
}

// compare compares a file with what it would be without us: its bytes if nobody but us has changed it, else what it says and
// its comments.
func (l *life) compare(f File, want map[string][]byte, p Plan) {
	l.t.Helper()
	text, err := os.ReadFile(f.Path)
	if os.IsNotExist(err) {
		if w, err := l.parsed(f, want[f.Path]); err != nil || len(w) > 0 {
			l.failf(f, "it is gone")
		}
		return
	}
	must(l.t, err)
	changed := l.choice[0]+l.choice[3] > 0
	if !changed && !bytes.Equal(text, want[f.Path]) && l.choice[2] == 0 {
		l.failf(f, "it is %q, not %q", text, want[f.Path])
	}
	extended := l.kept && f.Table == nil && f.Whole == "" && f.Entries[0].List
	if mentions(strings.ReplaceAll(string(text), "[mcp_servers.ctxledger]", "")) != extended {
		l.failf(f, "ours is in %s", text)
	}
	if extended && (len(p.Left) != 1 || !strings.Contains(p.Left[0].Why, f.Path) ||
		!strings.Contains(p.Left[0].Why, " on line ")) {
		l.failf(f, "left: %+v", p.Left)
	}
	if !extended && len(p.Left) > 0 && !l.kept {
		l.failf(f, "left: %+v", p.Left)
	}
	got, err := l.parsed(f, text)
	must(l.t, err)
	wanted, err := l.parsed(f, want[f.Path])
	must(l.t, err)
	if !bytes.Equal(registry.JSON(maps.Clone(got)), registry.JSON(wanted)) && len(got)+len(wanted) > 0 {
		l.failf(f, "it says %s, not %s", registry.JSON(got), registry.JSON(wanted))
	}
	for _, c := range []string{"// one", "/* c */", "// theirs", "// none", "# about d", "# in b", "# a", "/* head */",
		"// tail"} {
		if changed && bytes.Contains(want[f.Path], []byte(c)) && !bytes.Contains(text, []byte(c)) {
			l.failf(f, "no %s in %s", c, text)
		}
	}
}
