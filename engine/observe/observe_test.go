package observe

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"testing"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// in is what a step does, given the absolute path of the file f.
type in func(f string) error

func write(suffix, content string) in {
	return func(f string) error { return os.WriteFile(f+suffix, []byte(content), 0o600) }
}
func rename(from, to string) in { return func(f string) error { return os.Rename(f+from, f+to) } }
func remove(suffix string) in   { return func(f string) error { return os.Remove(f + suffix) } }

func TestEverySaveIsOneChange(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	patterns := []struct {
		name  string
		steps []in
		want  []changes.Op
	}{
		{"in place", []in{write("", "new text")}, []changes.Op{changes.Modified}},
		{"in place, the same size", []in{write("", "two")}, []changes.Op{changes.Modified}},
		{"truncate, then write", []in{func(f string) error { return os.Truncate(f, 0) }, write("", "new text")},
			[]changes.Op{changes.Modified}},
		{"append twice", []in{appendTo("x"), appendTo("y")}, []changes.Op{changes.Modified}},
		{"write another file, rename", []in{write(".tmp123", "new text"), rename(".tmp123", "")},
			[]changes.Op{changes.Modified}},
		{"vim", []in{write("4913", ""), remove("4913"), rename("", "~"), write("", "new text"), remove("~")},
			[]changes.Op{changes.Modified}},
		{"JetBrains", []in{write("___jb_tmp___", "new text"), rename("", "___jb_old___"), rename("___jb_tmp___", ""),
			remove("___jb_old___")}, []changes.Op{changes.Modified}},
		{"unlink and create", []in{remove(""), write("", "new text")}, []changes.Op{changes.Modified}},
		{"a swap of links", []in{
			write(".2", "new text"), func(f string) error { return os.Symlink(path.Base(f)+".2", f+".l") },
			rename(".l", ""), remove(".2"), write(".2", "new text"),
		}, []changes.Op{changes.Modified}},
		{"permissions only", []in{func(f string) error { return os.Chmod(f, 0o644) }}, nil},
		{"time only", []in{func(f string) error { return os.Chtimes(f, old, old) }}, nil},
		{"the same bytes", []in{write("", "one")}, nil},
		{"there and back", []in{write("", "two"), write("", "one")}, nil},
		{"deleted", []in{remove("")}, []changes.Op{changes.Deleted}},
		{"a pipe in its place", []in{remove(""), mkfifo}, []changes.Op{changes.Deleted}},
	}
	files := map[string]string{sentinel: ""}
	names := []string{sentinel}
	for i := range patterns {
		name := fmt.Sprintf("p%d/file.go", i)
		files[name] = "one"
		names = append(names, name)
	}
	w := newWorld(t, files)
	w.start()
	w.read(names...)
	for i, p := range patterns {
		for _, step := range p.steps {
			if err := step(w.path(names[i+1])); errors.Is(err, errors.ErrUnsupported) {
				t.Logf("%s: not on this system", p.name)
				patterns[i].want = []changes.Op{changes.Deleted}
			} else {
				must(t, err)
			}
		}
	}
	w.settle()
	got := map[string][]changes.Op{}
	for _, c := range w.changes() {
		got[c.Path] = append(got[c.Path], c.Op)
		if c.Source != changes.Observed || c.Session != "" || c.Op == changes.Modified &&
			(c.HashFrom == "" || c.HashTo == "") {
			t.Errorf("%+v", c)
		}
	}
	for i, p := range patterns {
		name := names[i+1]
		if fmt.Sprint(got[name]) != fmt.Sprint(p.want) {
			t.Errorf("%s: %v, want %v", p.name, got[name], p.want)
		}
		delete(got, name)
	}
	delete(got, path.Dir(names[9])+"/file.go.2") // that of the links stays, and is new
	if len(got) > 0 {
		t.Errorf("changes of other files: %v", got)
	}
}

func appendTo(text string) in {
	return func(name string) error {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		return errors.Join(err, f.Close())
	}
}

func TestWhatACommandChangesIsItsDoing(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "1", "b.go": "1", "c.go": "1", sentinel: ""})
	w.start()
	w.read("a.go", sentinel)
	w.append(use("c", "Bash", `{"command":"sed -i s/1/2/ a.go && make"}`))
	w.put("a.go", "2")
	w.put("b.go", "2")
	w.put("made.go", "2")
	w.await("a.go", "b.go", "made.go")
	w.append(result("c"))
	w.await("a.go")
	w.settle()
	w.want("modified a.go observed agent", "modified b.go observed agent", "created made.go observed agent")
	resp, err := w.l.Changes(t.Context(), ledger.ChangesRequest{Session: w.session})
	must(t, err)
	for _, c := range resp.Changes {
		if c.Path != sentinel && c.Reported != (c.Path == "a.go") {
			t.Errorf("%s: reported %v", c.Path, c.Reported)
		}
	}
}

func TestChangesMadeWhileNothingRan(t *testing.T) {
	w := newWorld(t, map[string]string{"d/a.go": "1", "d/b.go": "1", "d/c.go": "1", "d/other.go": "1", sentinel: ""})
	w.start()
	w.read("d/a.go", "d/b.go", "d/c.go", sentinel)
	w.append(use("e", "Edit", fmt.Sprintf(`{"file_path":%q}`, w.path("d/c.go"))))
	w.await("d/c.go")
	w.halt()
	w.put("d/c.go", "2") // before the host and its observer died; the result was never written
	w.put("d/a.go", "2")
	must(t, os.Remove(w.path("d/b.go")))
	w.put("d/other.go", "2") // no session touched it
	info, err := os.Stat(w.path("d/a.go"))
	must(t, err)
	w.start()
	w.await("d/a.go", "d/b.go", "d/c.go")
	w.settle()
	w.want("modified d/a.go observed external", "deleted d/b.go observed external", "modified d/c.go observed agent")
	for _, c := range w.changes() {
		if c.Path == "d/a.go" && !c.Time.Equal(info.ModTime()) {
			t.Errorf("changed at %s, the file says %s", c.Time, info.ModTime())
		}
	}
	h, err := w.l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: "d/c.go"})
	must(t, err)
	if in := h.Intents[0]; in.Status != "Applied" || !in.Reconciled {
		t.Errorf("the pending edit: %+v", in)
	}
}

// TestAFileThatWasReadThroughALinkIsObserved: the user's changes of what the link leads to were not those of the file that was read.
// So were they where an earlier version recorded the link, here one that came after the record.
func TestAFileThatWasReadThroughALinkIsObserved(t *testing.T) {
	w := newWorld(t, map[string]string{"real/a.md": "1", "real/b.md": "1", sentinel: ""})
	must(t, os.Symlink("real/a.md", w.path("a.md")))
	for _, name := range []string{"a.md", "real/a.md", "b.md", sentinel} {
		w.append(use(name, "Read", fmt.Sprintf(`{"file_path":%q}`, name)), result(name))
	}
	must(t, os.Symlink("real/b.md", w.path("b.md")))
	w.start()
	w.await("real/a.md", "b.md", "real/b.md", sentinel)
	w.put("real/a.md", "2")
	w.put("real/b.md", "2")
	w.await("real/a.md", "real/b.md")
	w.settle()
	w.want("modified real/a.md observed external", "modified real/b.md observed external")
	resp, err := w.l.Changes(t.Context(), ledger.ChangesRequest{Session: w.session})
	must(t, err)
	var stale []string
	for _, s := range resp.Stale {
		stale = append(stale, s.Path)
	}
	if !slices.Equal(stale, []string{"b.md", "real/a.md", sentinel}) {
		t.Errorf("out of date are %q", stale)
	}
	h, err := w.l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: "a.md"})
	must(t, err)
	if h.Path != "real/a.md" || len(h.Reads) != 2 || len(h.Changes) != 1 {
		t.Errorf("the history of the link is %+v", h)
	}
	if resp, err = w.l.Changes(t.Context(), ledger.ChangesRequest{Path: "a.md"}); err != nil || resp.Total != 1 {
		t.Errorf("the changes of the link are %+v, %v", resp, err)
	}
	st, err := w.l.Status(t.Context(), ledger.StatusRequest{Session: w.session})
	must(t, err)
	calls := map[string]int{}
	for _, s := range st.OwnSources {
		calls[s.Name] = s.Calls
	}
	if calls["real/a.md"] != 2 || calls["a.md"] != 0 {
		t.Errorf("the sources are %+v", st.OwnSources)
	}
}

func TestNewTreesAreSeenWithoutWhatGitIgnores(t *testing.T) {
	w := newWorld(t, map[string]string{
		"src/a.go": "1", ".gitignore": "*.log\nnode_modules/\n", ".git/info/exclude": "secret\n",
		"src/.gitignore": "gen/\n", sentinel: "",
	})
	outside := t.TempDir()
	must(t, os.WriteFile(outside+"/out.go", nil, 0o600))
	w.start()
	w.read("src/a.go", sentinel)
	for _, name := range []string{
		"src/new/deep/er/x.go", "src/new/y.go", "src/gen/z.go", "src/node_modules/p/i.js", "src/build.log",
		"src/secret", "src/sub/.git/config",
		"src/sub/s.go", ".git/HEAD", "src/new/t.log",
	} {
		w.put(name, "x")
	}
	must(t, os.Symlink(outside, w.path("src/link")))
	must(t, os.Symlink(outside+"/out.go", w.path("src/out.go")))
	w.await("src/new/deep/er/x.go", "src/sub/s.go")
	w.put("src/new/deep/er/x.go", "changed")
	w.await("src/new/deep/er/x.go")
	w.settle()
	w.want("created src/new/deep/er/x.go observed external", "created src/new/y.go observed external",
		"created src/sub/s.go observed external",
		"modified src/new/deep/er/x.go observed external")
}

func TestAnIgnoredFileCountsWhenASessionNamesIt(t *testing.T) {
	w := newWorld(t, map[string]string{"dist/a.js": "1", "dist/b.js": "1", ".gitignore": "dist/\n", sentinel: ""})
	w.start()
	w.read("dist/a.js", sentinel)
	w.put("dist/b.js", "2")
	w.put("dist/a.js", "2")
	w.settle()
	w.want("modified dist/a.js observed external")
}

func TestARenamedDirectoryLeavesAndComes(t *testing.T) {
	w := newWorld(t, map[string]string{"src/old/a.go": "1", "src/old/in/b.go": "1", "src/x": "", sentinel: ""})
	w.start()
	w.read("src/x", "src/old/a.go", "src/old/in/b.go", sentinel)
	must(t, os.Rename(w.path("src/old"), w.path("src/new")))
	w.await("src/old/a.go", "src/old/in/b.go", "src/new/a.go", "src/new/in/b.go")
	w.put("src/new/in/b.go", "2")
	w.await("src/new/in/b.go")
	w.settle()
	w.want("deleted src/old/a.go observed external", "deleted src/old/in/b.go observed external",
		"created src/new/a.go observed external", "created src/new/in/b.go observed external",
		"modified src/new/in/b.go observed external")
}

// TestAFileMovedHereWithTheOldSizeAndTimeIsRead: by size and time alone it was the file that it replaced.
func TestAFileMovedHereWithTheOldSizeAndTimeIsRead(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "1", "b.go": "2", sentinel: ""})
	then := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(w.path("a.go"), then, then))
	must(t, os.Chtimes(w.path("b.go"), then, then))
	w.start()
	w.read("a.go", "b.go", sentinel)
	must(t, os.Rename(w.path("b.go"), w.path("a.go")))
	w.await("a.go", "b.go")
	w.want("modified a.go observed external", "deleted b.go observed external")
}

func TestAWorkspaceThatIsAwayLosesNoFiles(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "1", sentinel: ""})
	ob := w.observer()
	w.read("a.go", sentinel)
	ob.refresh(t.Context())
	must(t, os.Rename(w.root, w.root+".away"))
	ob.rescan()
	ob.refresh(t.Context())
	ob.due.add("a.go", time.Now().Add(-time.Hour))
	ob.flush(t.Context())
	w.want()
	must(t, os.Rename(w.root+".away", w.root))
	must(t, os.Rename(w.root, w.root+".2"))
	must(t, os.Mkdir(w.root, 0o700))
	w.put("a.go", "2")
	w.put(sentinel, "")
	ob.tick(t.Context())
	w.want("modified a.go observed external")
}

func TestWhatTheLedgerCouldNotTakeIsToldAgain(t *testing.T) {
	w := newWorld(t, map[string]string{"d/a.go": "1", "d/b.go": "1", "d/e/f.go": "1"})
	ob := w.observer()
	w.read("d/a.go", "d/e/f.go")
	w.failures = 1
	ob.refresh(t.Context())
	if ob.ticks() == nil {
		t.Fatal("nothing is retried")
	}
	ob.tick(t.Context())
	w.await("d/a.go")
	w.put("d/a.go", "22")
	w.put("d/b.go", "22")
	must(t, os.RemoveAll(w.path("d/e")))
	for _, p := range []string{"d/a.go", "d/b.go", "d/e"} {
		ob.due.add(p, time.Now())
	}
	w.failures = 1
	w.ripen(ob)
	w.want()
	ob.tick(t.Context())
	w.ripen(ob)
	w.want("modified d/a.go observed external", "modified d/b.go observed external",
		"deleted d/e/f.go observed external")
}

// TestForgottenPathsAreDropped: the observer's list had them, and a later event of the file wrote the name back.
func TestForgottenPathsAreDropped(t *testing.T) {
	const word = "forgotten-name"
	w := newWorld(t, map[string]string{"d/" + word + ".go": "1", "other/b.go": "1"})
	ob := w.observer()
	w.read("d/"+word+".go", "other/b.go")
	ob.refresh(t.Context())
	ob.due.add("d/"+word+".go", time.Now())
	_, err := w.l.Forget(t.Context(), ledger.ForgetRequest{Text: word})
	must(t, err)
	ob.refresh(t.Context())
	if len(ob.named) != 1 || !ob.named["other/b.go"] || len(ob.due.waiting) > 0 || ob.dirs.all["d"] != nil {
		t.Errorf("it still has %v, waiting %v, directories %v", ob.named, ob.due.waiting, ob.dirs.all)
	}
	w.put("d/"+word+".go", "22")
	w.put("other/b.go", "22")
	ob.due.add("d/"+word+".go", time.Now())
	ob.due.add("other/b.go", time.Now())
	w.ripen(ob)
	w.want("modified other/b.go observed external")
}

func TestRunNeedsAWorkspace(t *testing.T) {
	l, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Env: env.System()})
	must(t, err)
	defer l.Close()
	if err := Run(t.Context(), l, Options{Env: env.System()}); !fault.Is(err, fault.Invalid) {
		t.Errorf("the user ledger: %v", err)
	}
	if err := Run(t.Context(), closedLedger(t), Options{Env: env.System()}); err == nil {
		t.Error("no error of a closed ledger")
	}
}

func closedLedger(t *testing.T) *engine.Local {
	l, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: t.TempDir(), Env: env.System()})
	must(t, err)
	must(t, l.Close())
	return l
}

func TestInvariant10NothingBehindALinkIsObserved(t *testing.T) {
	w := newWorld(t, map[string]string{"in/a.go": "1", "in/b.go": "1", "d/c.go": "1", sentinel: ""})
	outside := t.TempDir()
	must(t, os.WriteFile(outside+"/c.go", []byte("outside"), 0o600))
	must(t, os.WriteFile(outside+"/new.go", []byte("outside"), 0o600))
	must(t, os.Symlink(outside, w.path("evil")))
	w.start()
	w.append(use("out", "Read", fmt.Sprintf(`{"file_path":%q}`, outside+"/c.go")),
		use("up", "Read", `{"file_path":"../c.go"}`))
	w.read("in/a.go", "in/b.go", "d/c.go", "evil/c.go", sentinel)
	must(t, os.Rename(w.path("d"), w.path("in/d"))) // what was d leads out from here on
	must(t, os.Symlink(outside, w.path("d")))
	must(t, os.Remove(w.path("in/a.go")))
	must(t, os.Symlink(outside+"/c.go", w.path("in/a.go")))
	must(t, os.Remove(w.path("in/b.go")))
	must(t, os.Symlink("d/c.go", w.path("in/b.go"))) // inside
	must(t, os.WriteFile(outside+"/new.go", []byte("more"), 0o600))
	w.await("in/a.go", "in/b.go", "d/c.go")
	w.settle()
	w.want("deleted in/a.go observed external", "deleted d/c.go observed external",
		"created in/d/c.go observed external")
	h, err := w.l.Touched(t.Context(), ledger.TouchedRequest{})
	must(t, err)
	for _, f := range h.Files {
		if f.Path == "evil/c.go" && (f.Exists || f.Hash != "") {
			t.Errorf("a file outside has a state: %+v", f)
		}
	}
}
