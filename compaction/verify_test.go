package compaction

import (
	"strings"
	"testing"
)

// The ledger of this test: go test ./... fails, go vet ./... is well, npm test was failing and is well
// now, src/door.go could not be edited, src/wall.go was only read.
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
run go test ./... => 1 --- FAIL: TestDoor (0.00s)
user next
`)
	s := newSource(&k.in, Options{Mode: LLM}, "aaaaaaaaaaaa", len(k.in.Items)-1, 2_000)
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
		{"## All tests pass", ""},
	} {
		var run Run
		kept := 0
		got := s.verify(c.says, &run, &kept)
		bullet, statement := cutBullet(c.says)
		switch {
		case strings.HasSuffix(c.want, "-"):
			if !strings.HasPrefix(got, bullet+removedMark) || strings.Contains(got, statement) || run.Removed != 1 || kept != 0 {
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
