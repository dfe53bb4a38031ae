package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestLinesOfTheGoCommandAreUnderstood(t *testing.T) {
	for _, c := range []struct {
		line string
		want progress
		is   bool
	}{
		{"fuzz: elapsed: 0s, gathering baseline coverage: 0/192 completed", progress{}, false},
		{"fuzz: elapsed: 3s, gathering baseline coverage: 192/192 completed, now fuzzing with 2 workers",
			progress{}, false},
		{"fuzz: elapsed: 0s, execs: 0 (0/sec)", progress{}, true},
		{"fuzz: elapsed: 3s, execs: 1234 (411/sec), new interesting: 5 (total: 9)\n",
			progress{executions: 1234, fresh: 5, corpus: 9, elapsed: 3 * time.Second}, true},
		{"fuzz: elapsed: 1m21s, execs: 10000000000 (123456/sec), new interesting: 0 (total: 207)",
			progress{executions: 1e10, corpus: 207, elapsed: 81 * time.Second}, true},
		{"    Failing input written to testdata/fuzz/FuzzOut/582528ddfad69eb5",
			progress{crasher: "testdata/fuzz/FuzzOut/582528ddfad69eb5"}, false},
		{"failure while testing seed corpus entry: FuzzOut/582528ddfad69eb5",
			progress{crasher: "testdata/fuzz/FuzzOut/582528ddfad69eb5"}, false},
		{"fuzz: elapsed: never, execs: 1 (0/sec)", progress{}, false},
		{"ok  \tctxledger.dev/internal/redact\t61.342s", progress{}, false},
		{"PASS", progress{}, false},
		{"    context deadline exceeded\n", progress{late: true}, false},
		{"    x_test.go:3: context deadline exceeded", progress{}, false},
	} {
		var p progress
		if is := p.read(c.line); is != c.is || p != c.want {
			t.Errorf("%q: %v, %+v", c.line, is, p)
		}
	}
}

func TestARunWhoseTimeIsUpHasNotFailed(t *testing.T) {
	for _, c := range []struct {
		p    progress
		want bool
	}{
		{progress{late: true, elapsed: 11 * time.Second}, true},
		{progress{late: true, elapsed: 2 * time.Second}, false},
		{progress{late: true, elapsed: 11 * time.Second, crasher: "x"}, false},
		{progress{elapsed: 11 * time.Second}, false},
	} {
		if got := c.p.finished(11 * time.Second); got != c.want {
			t.Errorf("%+v: %v", c.p, got)
		}
	}
}

const recorded = `fuzz: elapsed: 0s, gathering baseline coverage: 0/4 completed
fuzz: elapsed: 0s, gathering baseline coverage: 4/4 completed, now fuzzing with 2 workers
fuzz: elapsed: 3s, execs: 90123 (30041/sec), new interesting: 2 (total: 6)
fuzz: minimizing 57-byte failing input file
fuzz: elapsed: 4s, minimizing
--- FAIL: FuzzOut (4.02s)
    --- FAIL: FuzzOut (0.00s)
        scrub_test.go:130: left "x"
    
    Failing input written to testdata/fuzz/FuzzOut/582528ddfad69eb5
    To re-run:
    go test -run=FuzzOut/582528ddfad69eb5
FAIL
exit status 1
`

func TestACrasherIsNamedWithTheFileToCommit(t *testing.T) {
	var shown bytes.Buffer
	p, out := follow(strings.NewReader(recorded), &shown)
	if p.executions != 90123 || p.fresh != 2 || p.rate() != 30041 ||
		!strings.Contains(shown.String(), "90123 executions, 2 new") {
		t.Errorf("%+v, shown %q", p, shown.String())
	}
	err := failure(target{"internal/scrub", "FuzzOut"}, p, out, nil)
	for _, want := range []string{
		"commit the input that it failed on: internal/scrub/testdata/fuzz/FuzzOut/582528ddfad69eb5", `left "x"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}

func TestTheTableIsAligned(t *testing.T) {
	var out bytes.Buffer
	tab := newTable(&out)
	tab.add("a FuzzA", progress{executions: 5, corpus: 1, elapsed: time.Second})
	tab.add("b FuzzB", progress{executions: 1234567, fresh: 12, corpus: 300, elapsed: 90 * time.Second})
	tab.flush()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || strings.Index(lines[1], "5  ") != strings.Index(lines[2], "7  ") ||
		!strings.HasSuffix(lines[2], "b FuzzB") {
		t.Errorf("\n%s", out.String())
	}
}

func TestTargetsAreFoundInTestFilesOnly(t *testing.T) {
	tree := fstest.MapFS{
		"b/x_test.go": {
			Data: []byte("package b\n\nfunc FuzzB(f *testing.F) {\n}\n\nfunc FuzzHelper(t *testing.T) {\n}\n")},
		"a/y_test.go":          {Data: []byte("package a\n\nfunc FuzzA(f *testing.F) {\n}\n")},
		"a/z.go":               {Data: []byte("package a\n\nfunc FuzzNot(f *testing.F) {\n}\n")},
		"a/testdata/q_test.go": {Data: []byte("package a\n\nfunc FuzzNot(f *testing.F) {\n}\n")},
	}
	list, err := targets(tree, "")
	if err != nil || len(list) != 2 || list[0] != (target{"a", "FuzzA"}) || list[1] != (target{"b", "FuzzB"}) {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := targets(tree, "FuzzB"); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := targets(tree, "FuzzC"); err == nil {
		t.Error("nothing was found, and no error")
	}
}
