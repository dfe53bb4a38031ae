package compaction

import (
	"strings"
	"testing"
)

// What a model says under a heading: each statement of finished work needs evidence, and open
// work need not be done yet.
func TestHeadingsSayWhatAStatementNeeds(t *testing.T) {
	k := newTalk(t)
	k.play("user Make it go\nread src/wall.go 100\nedit src/oven.go Oven.Heat\nedit src/door.go ! old text not " +
		"found\nuser next\n")
	s, err := newSource(&k.in, Options{Mode: LLM}, "aaaaaaaaaaaa", len(k.in.Items)-1, 2_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ heading, says, want string }{ // as below
		{"## Completed", "The bread is warm.", "?"},
		{"## Completed", "Das Brot ist warm.", "?"},
		{"## Completed", "src/door.go wurde geändert.", "?"},
		{"## Completed", "src/oven.go heizt.", ""},
		{"## Completed", "Oven.Heat has a limit.", ""},
		{"## Completed", "Looked at src/wall.go.", ""},
		{"## Completed", "None.", ""},
		{"## Completed", "All tests pass.", "?"}, // none ran
		{"### Done", "The bread is warm.", "?"},
		{"### In Progress", "The bread is warm.", ""},
		{"## ARTIFACTS", "src/roof.go: made anew", "?"},
		{"## Remaining Work", "Create src/roof.go and edit src/wall.go.", ""},
		{"## Key Findings", "The bread is warm.", ""},
		{"## Key Findings", "src/roof.go holds the tiles.", "?"},
	} {
		var run Run
		kept := 0
		got := s.work.verify(c.heading+"\n- "+c.says, &run, &kept)
		if marked := strings.Contains(got, "- "+unverified+c.says+"] ("); marked != (c.want == "?") ||
			run.Marked > 1 || run.Removed > 0 {
			t.Errorf("%q became %q", c.says, got)
		}
	}
}

// The ledger of this test: go test ./... fails, go vet ./... is well, npm test was failing and is well
// now, src/door.go could not be edited, src/wall.go was only read, the push was rejected.
func TestStatementsAreHeldAgainstTheLedger(t *testing.T) {
	k := newTalk(t)
	k.play(`user Make it go
read src/wall.go 100
edit src/oven.go Oven
write src/shed.go
delete src/shed.go
edit src/door.go ! old text not found
run npm test => 1 1 failing
run npm test
run go vet ./...
run git push => 1 rejected
run go test ./... => 1 --- FAIL: TestDoor (0.00s)
user next
`)
	s, err := newSource(&k.in, Options{Mode: LLM}, "aaaaaaaaaaaa", len(k.in.Items)-1, 2_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		says string
		want string // "": kept as it is; "-": removed; "?": marked
	}{
		{"All tests pass.", "-"},
		{"- all tests are green now", "-"},
		{"* [x] The suite passes.", "* -"},
		{"`go test ./...` → exit code 0", "-"},
		{"The build works and go test ./... succeeded.", "-"},
		{"`go test ./...` still fails in TestDoor.", ""},
		{"Tests do not pass yet.", ""},
		{"Next: make the tests pass, they must be green.", ""},
		{"`npm test` still fails.", "-"},
		{"`npm test` failed at first and passes now.", ""},
		{"`go vet ./...` is clean.", ""},
		{"Changed src/door.go so that it closes.", "-"},
		{"The edit of src/door.go failed.", ""},
		{"Edited src/oven.go.", ""},
		{"Edited oven.go.", ""},
		{"src/wall.go holds the bricks.", ""},
		{"Rewrote src/roof.go.", "?"},
		{"Changed src/wall.go.", "?"},
		{"Fixed in src/oven.go what src/wall.go shows.", ""},
		{"Created src/shed.go.", "?"},
		{"Created src/shed.go and deleted it again.", ""},
		{"Ran `cargo test` without a failure.", "?"},
		{"[UNVERIFIED ASSUMPTION: src/roof.go exists]", ""},
		{"The user wants warm bread.", ""},

		// The same in other words.
		{"No test failures remain.", "-"},
		{"The suite runs without errors.", "-"},
		{"go test ./...: 0 failures", "-"},
		{"Tests: 12/12 ✅", "-"},
		{"11 of 12 tests pass.", ""},
		{"Tests are no longer failing.", "-"},
		{"The build is broken no more; all checks are OK.", "-"},
		{"Fixed the broken parser, and all tests pass now.", "-"},
		{"The parser was broken. Now everything is green.", "-"},
		{"Although the parser was broken, go test ./... is fine", "-"},
		{"go test ./... exited with status 0.", "-"},
		{"go test ./... läuft durch.", "?"},
		{"go test ./... failed at first and passes now.", "?"},
		{"The tests don't pass.", ""},
		{"Tests never passed.", ""},
		{"If go test ./... passes, commit.", ""},
		{"`npm test` is still red.", "-"},
		{"src/door.go now closes.", "-"},
		{"Implemented closing in `src/door.go`, tests to come", "-"},
		{"src/door.go should be changed next.", ""},
		{"src/shed.go was updated.", "?"},
		{"Refactored src/wall.go and cleaned it up.", "?"},
		{"Removed src/shed.go.", ""},
		{"Pushed the branch.", "-"},
		{"Committed as abc1234.", "?"},
		{"Deployed to production.", "?"},
		{"The change will be deployed tomorrow.", ""},
		{"Ran `gofmt -l .` over all files.", "?"},
		{"Ran `go vet ./...`.", ""},
		{"## All tests pass", ""},
	} {
		var run Run
		kept := 0
		got := s.work.verify(c.says, &run, &kept)
		bullet, statement := cutBullet(c.says)
		switch {
		case strings.HasSuffix(c.want, "-"):
			if !strings.HasPrefix(got, bullet+removedMark) || strings.Contains(got, statement) || run.Removed != 1 ||
				kept != 0 {
				t.Errorf("%q became %q", c.says, got)
			}
		case c.want == "?":
			if !strings.HasPrefix(got, bullet+unverified+statement+"] (") || run.Marked != 1 || kept != 1 {
				t.Errorf("%q became %q", c.says, got)
			}
		case got != c.says || run != (Run{}):
			t.Errorf("%q became %q", c.says, got)
		}
	}
}
