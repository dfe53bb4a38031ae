package workspace

import (
	"os"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
)

// recorded makes a ledger for a directory, as its owner does.
func (w *world) recorded(dir string, sessions int) Workspace {
	w.t.Helper()
	ws, _ := w.at(dir)
	record(w.t, ws.State)
	p := ReadPlace(ws.State).At(w.t.Context(), w.env, ws.Main)
	p.Sessions, p.Used = sessions, time.Unix(int64(sessions), 0).UTC()
	must(w.t, p.Write(ws.State))
	return ws
}

// TestALedgerIsOnlyOfTheRepositoryThatItWasMadeFor: each case changes what is at p/shop, whose ledger was recorded there.
func TestALedgerIsOnlyOfTheRepositoryThatItWasMadeFor(t *testing.T) {
	anew := func(w *world) { must(w.t, os.RemoveAll(w.path("p/shop"))); w.dir("p/shop") }
	for name, c := range map[string]struct {
		change  func(w *world)
		strange bool
	}{
		"nothing": {func(*world) {}, false},
		"more commits, packed": {func(w *world) {
			w.git("p/shop", "commit", "-q", "--allow-empty", "-m", "b")
			w.git("p/shop", "gc", "-q")
		}, false},
		"another branch without history": {func(w *world) {
			w.git("p/shop", "checkout", "-q", "--orphan", "docs")
			w.git("p/shop", "commit", "-q", "--allow-empty", "-m", "docs")
		}, false},
		"history written again, the old one still there": {func(w *world) {
			w.git("p/shop", "commit", "-q", "--amend", "--allow-empty", "-m", "other")
		}, false},
		"history written again, the old one gone": {func(w *world) {
			w.git("p/shop", "commit", "-q", "--amend", "--allow-empty", "-m", "other")
			w.git("p/shop", "reflog", "expire", "--expire=now", "--all")
			w.git("p/shop", "gc", "-q", "--prune=now")
		}, true},
		"a clone of it": {func(w *world) {
			w.git("p", "clone", "-q", "shop", "copy")
			anew(w)
			must(w.t, os.Remove(w.path("p/shop")))
			must(w.t, os.Rename(w.path("p/copy"), w.path("p/shop")))
		}, false},
		"a shallow clone of it": {func(w *world) {
			w.git("p/shop", "commit", "-q", "--allow-empty", "-m", "b")
			w.git("p", "clone", "-q", "--depth=1", "file://"+w.path("p/shop"), "copy")
			anew(w)
			must(w.t, os.Remove(w.path("p/shop")))
			must(w.t, os.Rename(w.path("p/copy"), w.path("p/shop")))
		}, true},
		"another repository": {func(w *world) {
			anew(w)
			w.git("p/shop", "init", "-q")
			w.git("p/shop", "commit", "-q", "--allow-empty", "-m", "other")
		}, true},
		"an empty repository": {func(w *world) { anew(w); w.git("p/shop", "init", "-q") }, true},
		"no repository":       {anew, false}, // a directory keeps its ledger when it loses its repository
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.repository("p/shop")
			before := w.recorded("p/shop", 1)
			c.change(w)
			ws, _ := w.at("p/shop")
			if (ws.Strange != nil) != c.strange || ws.State != before.State {
				t.Errorf("strange: %+v, in %s, before in %s", ws.Strange, ws.State, before.State)
			}
			err, checked := ws.Undecided(), Check(w.env, ws.State, ws.Root)
			if c.strange != fault.Is(err, fault.Denied) || c.strange != fault.Is(checked, fault.Denied) ||
				c.strange != strings.Contains(fault.HintOf(err), "adopt --new") {
				t.Errorf("%v, %v; hint %q", err, checked, fault.HintOf(err))
			}
		})
	}
}

// TestALedgerWithoutARecordIsUsedAsBefore, whatever is there: older versions recorded nothing, and where there is no commit
// there is nothing to record.
func TestALedgerWithoutARecordIsUsedAsBefore(t *testing.T) {
	w := newWorld(t)
	w.repository("p/shop")
	ws, _ := w.at("p/shop")
	record(t, ws.State)
	if ws, _ = w.at("p/shop"); ws.Strange != nil {
		t.Errorf("without a record: %+v", ws.Strange)
	}
	w.git("p/new", "init", "-q")
	ws = w.recorded("p/new", 0)
	w.git("p/new", "commit", "-q", "--allow-empty", "-m", "first")
	if ws, _ = w.at("p/new"); ws.Strange != nil || ReadPlace(ws.State).Commit != "" {
		t.Errorf("before its first commit: %+v", ws.Strange)
	}
	if w.recorded("p/new", 0); ReadPlace(ws.State).Commit == "" {
		t.Error("the first commit was not recorded at the next use")
	}
}

// TestLedgersOfDirectoriesThatAreGone: what is listed first may be of the project at hand. Nothing but that is said of it.
func TestLedgersOfDirectoriesThatAreGone(t *testing.T) {
	w := newWorld(t)
	w.repository("p/shop")
	w.git("p/shop", "remote", "add", "origin", "git@example.org:a/shop.git")
	w.recorded("p/shop", 1)
	w.git("p", "clone", "-q", "shop", "clone")
	w.recorded("p/clone", 2)
	w.recorded("p/other", 3)
	w.recorded("p/there", 4)
	w.git("p/mirror", "init", "-q")
	w.git("p/mirror", "remote", "add", "origin", "https://me:secret@example.org/a/shop")
	w.recorded("p/mirror", 5)
	before := w.recorded("p/shop", 1)
	must(t, os.Rename(w.path("p/shop"), w.path("p/renamed")))
	for _, name := range []string{"clone", "other", "mirror"} {
		must(t, os.RemoveAll(w.path("p/"+name)))
	}
	ws, _ := w.at("p/renamed")
	record(t, Aside(ws.State, time.Unix(0, 0)))
	record(t, before.State+".damaged-20260101-000000")
	record(t, ws.UserState)
	list, err := Ledgers(w.env, ws)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range list {
		name, _, _ := strings.Cut(l.Name, "-")
		got = append(got, strings.Join([]string{name, l.Left, l.Same}, "|"))
	}
	want := "clone|" + Gone + "|root commit, shop|" + Gone + "|root commit, mirror|" + Gone + "|remote, renamed|" +
		Apart + "|, other|" + Gone + "|, there||"
	if said := strings.Join(got, ", "); said != want {
		t.Errorf("%s\nwant %s", said, want)
	}
	if p := ReadPlace(before.State).At(t.Context(), w.env, ws.Root); len(p.Former) != 1 || p.Former[0] != before.Root ||
		p.Root != ws.Root || p.Remote != "example.org/a/shop" {
		t.Errorf("taken over: %+v", p)
	}
}

// TestALinkAtTheOldPath: whoever moves a directory, or their home, often leaves a link in its place.
func TestALinkAtTheOldPath(t *testing.T) {
	w := newWorld(t)
	w.repository("p/shop")
	before := w.recorded("p/shop", 1)
	must(t, os.Rename(w.path("p"), w.path("moved")))
	if err := os.Symlink(w.path("moved"), w.path("p")); err != nil {
		t.Skip(err)
	}
	here, _ := w.at("p/shop")
	list, err := Ledgers(w.env, here)
	if err != nil || here.State == before.State || len(list) != 1 || list[0].Left != Gone || list[0].Same == "" {
		t.Errorf("%+v in %s, %v", list, here.State, err)
	}
}

// TestAnotherRepositoryAtTheOldPath: the ledger of a project that was renamed is named where the project is now, also after
// a person has put it aside at the old path. A clone that is still there keeps its own.
func TestAnotherRepositoryAtTheOldPath(t *testing.T) {
	w := newWorld(t)
	w.repository("p/shop")
	w.git("p", "clone", "-q", "shop", "clone")
	w.recorded("p/clone", 2)
	before := w.recorded("p/shop", 1)
	must(t, os.Rename(w.path("p/shop"), w.path("p/renamed")))
	w.git("p/shop", "init", "-q")
	w.git("p/shop", "commit", "-q", "--allow-empty", "-m", "another")
	here, _ := w.at("p/renamed")
	there, _ := w.at("p/shop")
	elsewhere, _ := w.at("p/other")
	put := Aside(before.State, time.Unix(0, 0))
	for _, c := range []struct {
		change func() error
		w      Workspace
		want   string
	}{
		{nil, here, Replaced + " root commit"}, {nil, there, " "}, {nil, elsewhere, " "},
		{func() error { return os.RemoveAll(w.path("p/shop/.git")) }, here, Replaced + " root commit"},
		{func() error { return os.Rename(before.State, put) }, here, Apart + " root commit"},
		{nil, elsewhere, Apart + " "},
	} {
		if c.change != nil {
			must(t, c.change())
		}
		list, err := Ledgers(w.env, c.w)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range list {
			want := " "
			if l.Root == before.Root {
				want = c.want
			}
			if got := l.Left + " " + l.Same; got != want {
				t.Errorf("in %s, %s: %q, want %q", c.w.Root, l.Name, got, want)
			}
		}
	}
	if p := ReadPlace(put).Moved(here.Root); len(p.Former) != 1 || p.Former[0] != before.Root || p.Root != here.Root {
		t.Errorf("taken over: %+v", p)
	}
}

func TestRemotesAreTheSameInEverySpelling(t *testing.T) {
	for address, want := range map[string]string{
		"git@GitHub.com:a/Shop.git":               "github.com/a/Shop",
		"https://github.com/a/Shop":               "github.com/a/Shop",
		"https://me:secret@github.com/a/Shop.git": "github.com/a/Shop",
		"ssh://git@github.com:22/a/Shop.git/":     "github.com/a/Shop",
		"github.com:a/Shop":                       "github.com/a/Shop",
		"":                                        "",
		"../shop":                                 "",
		"/srv/git/shop.git":                       "",
		"file:///srv/git/shop.git":                "",
		`C:\git\shop`:                             "",
		"./a:b":                                   "",
	} {
		if got := remote(address); got != want {
			t.Errorf("%q is %q, want %q", address, got, want)
		}
	}
}

func TestAPlaceIsReadAsWritten(t *testing.T) {
	state := t.TempDir()
	want := Place{Root: "/p/\n\u202e", Former: []string{"/a", "/b"}, Commit: "c", Remote: "r", Sessions: 1, Memories: 2,
		Bytes: 3, Used: time.Unix(7, 0).UTC()}
	must(t, want.Write(state))
	got := ReadPlace(state)
	if got.Root != want.Root || len(got.Former) != 2 || got.Commit != "c" || !got.Used.Equal(want.Used) {
		t.Errorf("%+v", got)
	}
	must(t, os.WriteFile(state+"/"+PlaceName, []byte(`{"root": 5}`), 0o600))
	if got := ReadPlace(state); got.Root != "" || got.Commit != "" {
		t.Errorf("damaged: %+v", got)
	}
}
