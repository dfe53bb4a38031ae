package memory_test

import (
	"bytes"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/memory"
)

// dir makes a directory of file names and contents.
func dir(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, data := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(data), ModTime: noon}
	}
	return fsys
}

func TestExportIsDeterministicAndImportsAgain(t *testing.T) {
	all := []memory.Entry{entry("b: x", "d — e", "body\n"), entry("A](evil.md)", "", ""), entry("c", "d", "--- a/x")}
	files := memory.Export(all)
	slices.Reverse(all)
	if again := memory.Export(all); !maps.EqualFunc(files, again, bytes.Equal) {
		t.Error("the order of the entries matters")
	}
	want := "# Memory Index\n\n" +
		"- [A&#93;&#40;evil.md&#41;](memory_" + entry("A](evil.md)", "", "").GUID + ".md)\n" +
		"- [b: x](memory_" + entry("b: x", "", "").GUID + ".md) — d — e\n" +
		"- [c](memory_" + entry("c", "", "").GUID + ".md) — d\n"
	if got := string(files["MEMORY.md"]); got != want {
		t.Errorf("index\n%s", got)
	}
	fsys := fstest.MapFS{}
	for name, data := range files {
		fsys[name] = &fstest.MapFile{Data: data, ModTime: noon}
	}
	got, problems, err := memory.Import(fsys)
	if err != nil || len(problems) > 0 || names(got) != "A](evil.md),b: x,c" {
		t.Fatalf("got %s, %v, %v", names(got), problems, err)
	}
	if e := got[1]; e.GUID != entry("b: x", "", "").GUID || e.Body != "body\n" || e.Scope != memory.Project ||
		!e.Updated.Equal(noon) || e.Source != "agent:a" {
		t.Errorf("got %+v", e)
	}
}

// TestAFactOfTheUserStaysOne: also from the export of that scope alone, which has no directory for it.
func TestAFactOfTheUserStaysOne(t *testing.T) {
	e := entry("style", "", "Tabs.")
	e.Scope = memory.User
	fsys := fstest.MapFS{}
	for name, data := range memory.Export([]memory.Entry{e}) {
		fsys[name] = &fstest.MapFile{Data: data, ModTime: noon}
	}
	got, problems, err := memory.Import(fsys)
	if err != nil || len(problems) > 0 || len(got) != 1 || got[0].Scope != memory.User {
		t.Errorf("got %+v, %v, %v", got, problems, err)
	}
}

func TestImportReportsWhatItLeavesOut(t *testing.T) {
	const ok = "---\nname: ok\n---\n"
	cases := []struct {
		name, index string
		files       map[string]string
		want, said  string
	}{
		{"missing file", "- [a](memory_a.md)\n- [ok](memory_ok.md)\n", nil, "ok", "MEMORY.md:1: memory_a.md " +
			"cannot be read"},
		{"not in the index", "- [ok](memory_ok.md)\n", map[string]string{"memory_b.md": ok}, "ok",
			"memory_b.md:not in MEMORY.md"},
		{"named twice", "- [ok](memory_ok.md)\n- [ok](memory_ok.md)\n", nil, "ok", "MEMORY.md:2: memory_ok.md is " +
			"repeated"},
		{"outside the directory", "- [x](../x.md)\n- [y](/etc/passwd)\n- [z](sub/z.md)\n- [w](..\\w.md)\n", nil, "",
			`"../x.md" is not the name of a memory file`},
		{"the index itself", "- [x](MEMORY.md)\n", nil, "", "is not the name"},
		{"no memory", "- [x](x.md)\n- [ok](memory_ok.md)\n", map[string]string{"x.md": "# just text"}, "ok",
			"x.md:the file does not start"},
		{"too long a body", "- [x](x.md)\n", map[string]string{"x.md": "---\nname: n\n---\n" +
			strings.Repeat("x", 5000)}, "", "x.md:left out: the body"},
		{"too long a file", "- [x](x.md)\n", map[string]string{"x.md": ok + strings.Repeat("x", 70_000)}, "",
			"limit of 65536"},
		{"other lines are text", "# Memory Index\n\nSome words [a](b)\n* [x](x.md)\n  - [ok](memory_ok.md) and more\n",
			nil, "ok", ""},
		{"a name with an escaped bracket", `- [a\]b](memory_ok.md) — d` + "\n", nil, "ok", ""},
		{"CRLF", "- [ok](memory_ok.md) — d\r\n", nil, "ok", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"MEMORY.md": c.index}
			if strings.Contains(c.index, "memory_ok.md") {
				files["memory_ok.md"] = ok
			}
			maps.Copy(files, c.files)
			got, problems, err := memory.Import(dir(files))
			if err != nil || names(got) != c.want || !strings.Contains(said(problems), c.said) || c.said == "" &&
				len(problems) > 0 {
				t.Errorf("got %q, %q, %v", names(got), said(problems), err)
			}
		})
	}
}

func TestImportWithoutAnIndexIsNotFound(t *testing.T) {
	_, _, err := memory.Import(dir(map[string]string{"memory_a.md": "---\nname: a\n---\n"}))
	wantFault(t, err, fault.NotFound, "MEMORY.md")
}

func TestImportMapsFuseraftRoomsToScopesAndAuthors(t *testing.T) {
	file := func(name string) string { return "---\nname: " + name + "\n---\n" }
	got, problems, err := memory.Import(dir(map[string]string{
		"repl/MEMORY.md":                 "- [mine](memory_1.md)\n",
		"repl/memory_1.md":               file("mine"),
		"agents/code_review/MEMORY.md":   "- [theirs](memory_2.md)\n",
		"agents/code_review/memory_2.md": file("theirs"),
		"agents/README.md":               "no agent",
	}))
	if err != nil || len(problems) > 0 || len(got) != 2 {
		t.Fatalf("got %+v, %v, %v", got, problems, err)
	}
	if got[0].Scope != memory.User || got[0].Source != "import:repl/memory_1.md" || got[1].Scope != memory.Project ||
		got[1].Source != "agent:code_review" {
		t.Errorf("got %+v", got)
	}
}

func TestImportReadsTheFactsOfTheUser(t *testing.T) {
	got, problems, err := memory.Import(dir(map[string]string{
		"MEMORY.md": "", memory.UserDir + "/MEMORY.md": "- [mine](memory_1.md)\n",
		memory.UserDir + "/memory_1.md": "---\nname: mine\n---\n",
	}))
	if err != nil || len(problems) > 0 || len(got) != 1 || got[0].Scope != memory.User {
		t.Fatalf("got %+v, %v, %v", got, problems, err)
	}
}

func TestImportReadsJutulAgentsLayout(t *testing.T) {
	got, problems, err := memory.Import(dir(map[string]string{
		"memory/MEMORY.md": "# Memory\n- `Mesh size` — keep cells under 10 m (file: `mesh-size.md`)\n" +
			"- `Solver: note` — bare (file: `solver.md`)\n- `格子` (file: `note.md`)\n- `別` (file: `note.md`)\n",
		"memory/mesh-size.md": "---\nname: Mesh size\ndescription: keep cells under 10 m\ntype: " +
			"simulator\n---\n\nBody.\n",
		"memory/solver.md": "Just text,\nwithout front matter.\n",
		"memory/note.md":   "---\nname: 別\n---\n",
	}))
	if err != nil || names(got) != "Mesh size,Solver: note,別" ||
		said(problems) != "memory/MEMORY.md:5: note.md is repeated" {
		t.Fatalf("got %s, %q, %v", names(got), said(problems), err)
	}
	if got[0].Type != "simulator" || got[1].Description != "bare" ||
		got[1].Body != "Just text,\nwithout front matter." {
		t.Errorf("got %+v", got)
	}
	again, _, _ := memory.Import(dir(map[string]string{"memory/MEMORY.md": "- `x` (file: `solver.md`)\n",
		"memory/solver.md": "x"}))
	if again[0].GUID != got[1].GUID || len(again[0].GUID) != 32 {
		t.Errorf("the guid made for a file changed: %s, %s", again[0].GUID, got[1].GUID)
	}
}

func TestOfTwoFilesWithOneNameTheNewestWinsAndBothAreKept(t *testing.T) {
	fsys := dir(map[string]string{
		"MEMORY.md":   "- [n](memory_a.md)\n- [N](memory_b.md)\n",
		"memory_a.md": "---\nname: n\n---\nnew\n",
		"memory_b.md": "---\nname: N\n---\nold\n",
	})
	fsys["memory_b.md"].ModTime = noon.Add(-time.Hour)
	got, _, err := memory.Import(fsys)
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	s := storetest.Open(t)
	saveAll(t, s, got...)
	final, err := save(t, s, memory.Entry{Name: "n", Source: got[1].Source, Body: "x"}, false)
	if err != nil || got[1].Body != "new" || final.GUID != got[0].GUID {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestImportOpensNothingThatIsNoFile has pipes in the place of files: opening one would wait for ever.
func TestImportOpensNothingThatIsNoFile(t *testing.T) {
	pipe := &fstest.MapFile{Mode: fs.ModeNamedPipe}
	fsys := dir(map[string]string{"MEMORY.md": "- [A](memory_a.md) — a\n- [B](memory_b.md) — b\n",
		"memory_b.md": "---\nname: B\n---\nbody"})
	fsys["memory_a.md"] = pipe
	entries, problems, err := memory.Import(opened{fsys, t})
	if err != nil || len(entries) != 1 || len(problems) != 1 ||
		!strings.Contains(problems[0].String(), "not a regular file") {
		t.Errorf("%v, %v, %v", entries, problems, err)
	}
	_, problems, err = memory.Import(opened{fstest.MapFS{"MEMORY.md": pipe}, t})
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].String(), "not a regular file") {
		t.Errorf("%v, %v", problems, err)
	}
}

// opened is a file system that sees to it that no pipe is opened.
type opened struct {
	fstest.MapFS
	t *testing.T
}

func (o opened) Open(name string) (fs.File, error) {
	if f := o.MapFS[name]; f != nil && f.Mode&fs.ModeNamedPipe != 0 {
		o.t.Errorf("%s was opened", name)
	}
	return o.MapFS.Open(name)
}
