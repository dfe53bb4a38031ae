package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

const editA = `{"file_path":"/w/a.go"}`

func TestAttributionOfAnObservedChange(t *testing.T) {
	type call struct {
		tool, args string
		from, to   float64 // to 0: no result
		failed     bool
	}
	bash := `{"command":"make"}`
	for _, test := range []struct {
		name  string
		calls []call // each by an agent of its own
		at    float64
		want  string
	}{
		{"nobody", nil, 10, "external"},
		{"during a call that names it", []call{{"Edit", editA, 9, 11, false}}, 10, "a0"},
		{"in the tick of its result", []call{{"Edit", editA, 9, 9.995, false}}, 10, "a0"},
		{"a save two seconds after the call", []call{{"Edit", editA, 5, 8, false}}, 10, "?a0"},
		{"a save after a command", []call{{"Bash", bash, 5, 9, false}}, 10, "?a0"},
		{"after a call that names it, during a command",
			[]call{{"Edit", editA, 5, 9, false}, {"Bash", bash, 9.5, 11, false}}, 10, "?a0?a1"},
		{"after a call that names it, during another",
			[]call{{"Edit", editA, 9, 9.5, false}, {"Edit", editA, 8, 11, false}}, 10, "a1"},
		{"later", []call{{"Edit", editA, 5, 7.9, false}}, 10, "external"},
		{"before the call", []call{{"Edit", editA, 10.1, 11, false}}, 10, "external"},
		{"a failed edit", []call{{"Edit", editA, 9, 11, true}}, 10, "external"},
		{"a call that names another file", []call{{"Edit", `{"file_path":"/w/b.go"}`, 9, 11, false}}, 10, "external"},
		{"a command", []call{{"Bash", bash, 9, 11, false}}, 10, "a0"},
		{"a failed command", []call{{"Bash", bash, 9, 11, true}}, 10, "a0"},
		{"a command that runs", []call{{"Bash", bash, 9, 0, false}}, 10, "a0"},
		{"a command abandoned long ago", []call{{"Bash", bash, -700, 0, false}}, 10, "external"},
		{"two commands", []call{{"Bash", bash, 8, 11, false}, {"Bash", bash, 9, 0, false}}, 10, "?a0?a1"},
		{"a command and a call that names it", []call{{"Bash", bash, 9.5, 11, false}, {"Edit", editA, 9, 11, false}},
			10, "a1"},
		{"two calls that name it: the later", []call{{"Edit", editA, 9.5, 11, false}, {"Edit", editA, 9, 9.6, false}},
			10, "a0"},
	} {
		for _, live := range []bool{true, false} { // whether the calls are known before the change is seen
			t.Run(fmt.Sprint(test.name, ", known before: ", live), func(t *testing.T) {
				l, _ := openIn(t, t.TempDir(), "/w")
				observe(t, l, is("a.go", "1", at(-900), at(-800)))
				see := func() { observe(t, l, is("a.go", "2", at(test.at), at(test.at+0.1))) }
				if !live {
					see()
				}
				var agents []*agent
				for i, c := range test.calls {
					a := &agent{t: t, l: l, name: fmt.Sprint("a", i), dir: "/w"}
					agents = append(agents, a)
					a.prompt(at(c.from - 1))
					a.call(at(c.from), "c", c.tool, c.args)
					if c.to > 0 {
						a.result(at(c.to), "c", c.failed)
					}
				}
				if live {
					see()
				}
				var got []string
				for _, c := range told(t, l, agents...) {
					if strings.Contains(c, "observed") {
						got = append(got, c)
					}
				}
				if len(got) != 1 || !strings.HasPrefix(got[0], "modified a.go observed by "+test.want+" ") {
					t.Errorf("%q, want it to be by %s", got, test.want)
				}
			})
		}
	}
}

func TestOneEditIsOneChangeWhateverIsKnownFirst(t *testing.T) {
	edit := func(a *agent) {
		a.prompt(at(0))
		a.call(at(1), "c", "Edit", editA)
		a.result(at(2), "c", false)
	}
	run := func(a *agent) {
		a.prompt(at(0))
		a.call(at(1), "c", "Bash", `{"command":"sed -i s/x/y/ a.go"}`)
		a.result(at(2), "c", false)
	}
	before, after := is("a.go", "1", at(-9), at(-5)), is("a.go", "2", at(1.5), at(1.7))
	for _, test := range []struct {
		name string
		do   func(l *engine.Local, a *agent)
		want string
	}{
		{"transcript first", func(l *engine.Local, a *agent) { observe(t, l, before); edit(a); observe(t, l, after) },
			"modified a.go observed by a 1→2"},
		{"observed first", func(l *engine.Local, a *agent) { observe(t, l, before); observe(t, l, after); edit(a) },
			"modified a.go observed by a 1→2"},
		{"observed again", func(l *engine.Local, a *agent) {
			observe(t, l, before)
			observe(t, l, after)
			edit(a)
			observe(t, l, after)
		}, "modified a.go observed by a 1→2"},
		{"never looked at before", func(l *engine.Local, a *agent) { edit(a); observe(t, l, after) },
			"modified a.go transcript by a →2"},
		{"command, transcript first", func(l *engine.Local,
			a *agent) {
			observe(t, l, before)
			run(a)
			observe(t, l, after)
		}, "modified a.go observed by a 1→2"},
		{"command, observed first", func(l *engine.Local,
			a *agent) {
			observe(t, l, before)
			observe(t, l, after)
			run(a)
		}, "modified a.go observed by a 1→2"},
		{"between call and result", func(l *engine.Local, a *agent) {
			observe(t, l, before)
			a.call(at(1), "c", "Edit", editA)
			observe(t, l, after)
			a.result(at(2), "c", false)
		}, "modified a.go observed by a 1→2"},
	} {
		l, _ := openIn(t, t.TempDir(), "/w")
		a := &agent{t: t, l: l, name: "a", dir: "/w"}
		test.do(l, a)
		if got := told(t, l, a); len(got) != 1 || got[0] != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if got, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: a.session}); err != nil || got.Total != 1 {
			t.Errorf("%s: %d changes of the session, %v", test.name, got.Total, err)
		}
	}
}

func TestBytesThatStayAreNoChange(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	a := &agent{t: t, l: l, name: "a", dir: "/w"}
	observe(t, l, is("a.go", "1", at(-9), at(-5)))
	a.prompt(at(0))
	a.call(at(1), "c1", "Write", editA)
	a.result(at(2), "c1", false)
	wantTold(t, l, []*agent{a}, "modified a.go transcript by a")
	if got := observe(t, l, is("a.go", "1", at(1.5), at(2.5))); len(got) != 0 {
		t.Errorf("recorded: %+v", got)
	}
	wantTold(t, l, nil)

	a.call(at(10), "c2", "Write", editA)
	a.result(at(11), "c2", false)
	a.call(at(12), "c3", "Write", editA)
	a.result(at(13), "c3", false)
	observe(t, l, is("a.go", "1", at(12.5), at(13.5)))
	if got := told(t, l, a); len(got) != 2 {
		t.Errorf("one of two writes may have taken back the other: %q", got)
	}
	resp, err := l.Changes(t.Context(), ledger.ChangesRequest{})
	if err != nil || resp.Changes[1].ID != 2 {
		t.Errorf("the number of the withdrawn change was given again: %+v, %v", resp.Changes, err)
	}

	none := is("none", "", at(0), at(-5))
	observe(t, l, none)
	a.call(at(20), "c4", "Bash", `{"command":"rm -f none"}`)
	a.result(at(21), "c4", false)
	if got := told(t, l, a); len(got) != 3 {
		t.Errorf("told before anybody looked: %q", got)
	}
	none.Seen = at(22)
	observe(t, l, none)
	if got := told(t, l, a); len(got) != 2 {
		t.Errorf("a file was deleted that never was: %q", got)
	}
}

// TestAnEditBeforeTheLedgerBeganStaysThatOfItsSubagent: a session's file is read before those of its subagents, so that
// the edited file is seen before its call is known. One whose time was a little older than the call's seemed to be as it
// was before the call, and the edit to be made outside of the session.
func TestAnEditBeforeTheLedgerBeganStaysThatOfItsSubagent(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	a := &agent{t: t, l: l, name: "a", dir: "/w"}
	a.prompt(at(0))
	a.call(at(1), "r", "Read", `{"file_path":"/w/a.go"}`)
	a.append(at(1.5), `{"role":"user","content":[{"type":"tool_result","tool_use_id":"r","content":"1\tpackage b"}]}`)
	edited := is("a.go", "2", at(2.98), at(60))
	observe(t, l, edited)
	sub := &agent{t: t, l: l, name: "a/agent-7", parent: a.session, dir: "/w"}
	sub.prompt(at(2))
	sub.call(at(3), "e", "Edit", editA)
	sub.result(at(4), "e", false)
	edited.Seen = at(61)
	observe(t, l, edited)
	wantTold(t, l, []*agent{a, sub}, "modified a.go transcript by a/agent-7")
	resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: a.session})
	if err != nil || len(resp.Stale) != 1 || resp.Stale[0].By != sub.session || !resp.Stale[0].Subagent {
		t.Errorf("stale is %+v, %v; want by the subagent %s", resp.Stale, err, sub.session)
	}
}

// TestAChangeThatTheNextCallUndidIsNotLost looks at a file when the ledger knows of a call and not yet of the next one,
// which has undone it. A real agent's fork that did again what its trunk did lost both.
func TestAChangeThatTheNextCallUndidIsNotLost(t *testing.T) {
	for _, test := range []struct {
		name, content string // before the calls and after them
		next          string
		want          []string
	}{
		{"put back", "1", `{"command":"echo 1 > a.go"}`,
			[]string{"modified a.go transcript by a", "modified a.go inferred by a"}},
		{"deleted again", "", `{"command":"rm a.go"}`,
			[]string{"created a.go transcript by a", "deleted a.go inferred by a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, _ := openIn(t, t.TempDir(), "/w")
			a := &agent{t: t, l: l, name: "a", dir: "/w"}
			observe(t, l, is("a.go", test.content, at(-9), at(-5)))
			a.prompt(at(0))
			a.call(at(1), "c1", "Write", editA)
			a.result(at(2), "c1", false)
			observe(t, l, is("a.go", test.content, at(2.2), at(2.3)))
			a.call(at(2.1), "c2", "Bash", test.next)
			a.result(at(2.4), "c2", false)
			observe(t, l, is("a.go", test.content, at(2.2), at(2.5)))
			wantTold(t, l, []*agent{a}, test.want...)
		})
	}
}

func TestTwoEditsSeenAsOneBelongToTheLater(t *testing.T) {
	for _, first := range []bool{true, false} {
		l, _ := openIn(t, t.TempDir(), "/w")
		a, b := &agent{t: t, l: l, name: "a", dir: "/w"}, &agent{t: t, l: l, name: "b", dir: "/w"}
		observe(t, l, is("a.go", "1", at(-9), at(-5)))
		see := func() { observe(t, l, is("a.go", "3", at(2.5), at(2.7))) }
		if first {
			see()
		}
		for i, x := range []*agent{a, b} {
			x.prompt(at(float64(i)))
			x.call(at(float64(1+i)), "c", "Edit", editA)
			x.result(at(float64(2+i)), "c", false)
		}
		if !first {
			see()
		}
		got, hashes := strings.Join(told(t, l, a, b), "\n")+"\n", "1→3"
		if !first {
			hashes = "→3" // the state between the two is unknown
		}
		if strings.Count(got, "\n") != 2 || !strings.Contains(got, "modified a.go transcript by a\n") ||
			!strings.Contains(got, "modified a.go observed by b "+hashes+"\n") {
			t.Errorf("seen first: %v:\n%s", first, got)
		}
	}
}

// TestANewFileWhoseSecondChangeIsSeenBeforeTheFirstIsTold: the creation stays a single change, by the
// call that reported it, before the change that was observed.
func TestANewFileWhoseSecondChangeIsSeenBeforeTheFirstIsTold(t *testing.T) {
	for name, seenFirst := range map[string]bool{"before the first is told": true,
		"before the second is begun": false} {
		t.Run(name, func(t *testing.T) { secondChangeSeenEarly(t, seenFirst) })
	}
}

func secondChangeSeenEarly(t *testing.T, seenFirst bool) {
	l, _ := openIn(t, t.TempDir(), "/w")
	a := &agent{t: t, l: l, name: "a", dir: "/w"}
	a.prompt(at(0))
	a.call(at(1), "c1", "Write", `{"file_path":"/w/new.go","content":"1"}`)
	observe(t, l, is("new.go", "1", at(1.5), at(1.6)))
	see := func() { observe(t, l, is("new.go", "2", at(2.2), at(2.3))) }
	if seenFirst {
		see()
	}
	a.result(at(2), "c1", false)
	if !seenFirst {
		see()
	}
	a.call(at(2.1), "c2", "Edit", `{"file_path":"/w/new.go","old_string":"1","new_string":"2"}`)
	a.result(at(2.4), "c2", false)
	h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: "new.go"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range h.Changes {
		got = append(got, fmt.Sprint(c.Op, " ", c.Source, " by entry ", c.Seq))
	}
	if want := []string{"modified observed by entry 5", "created transcript by entry 3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWhatHappenedToAFile(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	absent := changes.State{Path: "new", Since: at(0)}
	there := changes.State{Path: "old", Exists: true, Size: 3, Modified: at(-9), Since: at(0)}
	made := is("new", "n", at(1), at(2))
	made.Before = &absent
	gone := is("old", "", time.Time{}, at(3))
	gone.Before, gone.Noticed = &there, at(2.5)
	observe(t, l, made, gone)
	observe(t, l, is("new", "m", at(-1000), at(9))) // moved here, with its old time
	big := ledger.Observation{State: changes.State{Path: "big", Exists: true, Size: 1 << 40, Modified: at(1),
		Large: true}, Seen: at(2)}
	observe(t, l, big)
	big.Modified, big.Seen = at(5), at(6)
	observe(t, l, big)
	wantTold(t, l, nil, "created new observed by external →n", "deleted old observed by external",
		"modified big observed by external", "modified new observed by external n→m")
	resp, err := l.Changes(t.Context(), ledger.ChangesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var times []time.Time
	for _, c := range resp.Changes {
		times = append(times, c.Time)
	}
	if diff := cmp.Diff([]time.Time{at(9), at(5), at(2.5), at(1)}, times); diff != "" || !resp.Changes[1].Large {
		t.Errorf("%s %+v", diff, resp.Changes[1])
	}
}

func TestSessionsOfAnotherCopyChangeNothingHere(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	a := &agent{t: t, l: l, name: "a", dir: "/elsewhere"}
	observe(t, l, is("a.go", "1", at(-9), at(-5)))
	a.prompt(at(0))
	a.call(at(1), "c", "Edit", `{"file_path":"/elsewhere/a.go"}`)
	observe(t, l, is("a.go", "2", at(1.5), at(1.7)))
	a.result(at(2), "c", false)
	wantTold(t, l, []*agent{a}, "modified a.go observed by external 1→2", "modified a.go transcript by a")
	if resp, err := l.Touched(t.Context(), ledger.TouchedRequest{}); err != nil || len(resp.Files) != 0 {
		t.Errorf("touched: %+v, %v", resp, err)
	}
}

func TestTouchedFilesAreListedTheNewestFirst(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	a := &agent{t: t, l: l, name: "a", dir: "/w"}
	a.prompt(at(0))
	for i, p := range []string{"a", "b", "/w/a", "../out", "/etc/passwd", ".", "d/c"} {
		a.call(at(1), fmt.Sprint("r", i), "Read", fmt.Sprintf(`{"file_path":%q}`, p))
	}
	a.call(start.Add(-8*24*time.Hour), "old", "Read", `{"file_path":"old"}`)
	a.call(at(1), "mv", "move_file", `{"source":"x","destination":"y"}`)
	observe(t, l, is("b", "1", at(-9), at(-5)))
	list := func(after int64) (string, int64) {
		resp, err := l.Touched(t.Context(), ledger.TouchedRequest{After: after})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range resp.Files {
			got += fmt.Sprint(f.Path, " ", f.Known, ", ")
		}
		return got, resp.Next
	}
	all, next := list(0)
	if all != "y false, x false, d/c false, a false, b true, " {
		t.Errorf("all: %s", all)
	}
	a.call(at(2), "r9", "Read", `{"file_path":"b"}`)
	if got, _ := list(next); got != "b true, " {
		t.Errorf("since: %s", got)
	}
}

func TestInvariant10OnlyPathsInsideTheWorkspaceHaveAState(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	good := is("a", "1", at(1), at(2))
	for _, p := range []string{"", ".", "..", "../x", "/etc/passwd", "/w/a", "a/../../x", "a/../b", "./a", "a//b",
		"a\x00b", "a\nb", "C:/x", strings.Repeat("a", 600)} {
		o := good
		o.Path = p
		_, err := l.RecordStates(t.Context(), ledger.RecordStatesRequest{States: []ledger.Observation{o}})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%.20q: %v", p, err)
		}
	}
	bad := good
	bad.Hash = "x"
	unseen := good
	unseen.Seen = time.Time{}
	other := good
	other.Before = &changes.State{Path: "b"}
	for _, o := range []ledger.Observation{bad, unseen, other} {
		_, err := l.RecordStates(t.Context(), ledger.RecordStatesRequest{States: []ledger.Observation{o}})
		wantCode(t, err, fault.Invalid)
	}
	_, err := l.RecordStates(t.Context(), ledger.RecordStatesRequest{States: make([]ledger.Observation, 501)})
	wantCode(t, err, fault.TooLarge)
}
