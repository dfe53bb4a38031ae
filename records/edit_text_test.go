package records

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/memory"
)

// changed returns the documents of changes, by the path of their file.
func (l *opened) changed() map[string]Address {
	found := map[string]Address{}
	l.walk("", func(n Node) {
		if n.Kind == KindChange {
			found[n.File] = must(Parse(n.URI))
		}
	})
	return found
}

// salt is the part of a masked secret that differs from ledger to ledger.
var salt = regexp.MustCompile(`:[0-9a-f]{8}\]`)

// TestAChangeHasTheTextsThatItsCallDeclares: before and after are what the call says, and nothing is made up where it
// does not say both.
func TestAChangeHasTheTextsThatItsCallDeclares(t *testing.T) {
	for name, x := range map[string]struct {
		tool          string
		args          map[string]any
		file          string // "": src/add.go
		none          bool
		before, after string
	}{
		"an edit": {tool: "Edit", args: map[string]any{"file_path": "/ws/src/add.go", "old_string": "a - b",
			"new_string": "a + b\n"}, before: "a - b\n", after: "a + b\n"},
		"several edits": {tool: "MultiEdit", args: map[string]any{"file_path": "/ws/src/add.go", "edits": []any{
			map[string]any{"old_string": "a", "new_string": "b"}, map[string]any{"old_string": "c", "new_string": ""},
		}}, before: "a\n⋯\nc\n", after: "b\n⋯\n"},
		"a new file": {tool: "Write", args: map[string]any{"file_path": "/ws/src/add.go", "content": "package add"},
			none: true}, // the record does not say whether there was one before
		"nothing of it": {tool: "Edit", args: map[string]any{"file_path": "/ws/src/add.go"}, none: true},
		"too long": {tool: "Edit", args: map[string]any{"file_path": "/ws/src/add.go", "old_string": "a",
			"new_string": strings.Repeat("x", maxSide+1)}, none: true},
		"a secret": {tool: "Edit", args: map[string]any{"file_path": "/ws/.env", "old_string": "KEY=" + secret,
			"new_string": "x\u202ey"}, file: ".env",
			before: "KEY=[masked:github-token:SALTED]\n", after: "x\\u202ey\n"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger(t)
			l.say("", append([][]byte{user("go on")}, l.use(x.tool, x.args, "ok", false)...)...)
			file := x.file
			if file == "" {
				file = "src/add.go"
			}
			change, ok := l.changed()[file]
			if !ok {
				t.Fatalf("there is no change of %s in\n%s", file, l.tree())
			}
			d := must(l.Diff(t.Context(), change))
			if x.none {
				if d != (Diff{}) {
					t.Errorf("it has %+v", d)
				}
				_, err := l.Text(t.Context(), Address{Kind: KindBefore, ID: change.ID})
				if !fault.Is(err, fault.NotFound) {
					t.Errorf("the text before: %v", err)
				}
				return
			}
			before, after := must(Parse(d.Before)), must(Parse(d.After))
			if got := salt.ReplaceAllString(must(l.Text(t.Context(), before)), ":SALTED]"); got != x.before {
				t.Errorf("before: %q", got)
			}
			if got := must(l.Text(t.Context(), after)); got != x.after {
				t.Errorf("after: %q", got)
			}
			tab := strings.TrimPrefix(path.Base(file), ".")
			if before.Title != tab || after.Title != tab {
				t.Errorf("the tabs are %q and %q", before.Title, after.Title)
			}
		})
	}
}

// TestOnlyAChangeHasADiff: what names no change is refused.
func TestOnlyAChangeHasADiff(t *testing.T) {
	l := newLedger(t)
	for a, code := range map[Address]fault.Code{
		{Kind: KindSession, ID: "ab"}:                      fault.Invalid,
		{Kind: KindMemory, Scope: memory.Project, ID: "x"}: fault.Invalid,
		{Kind: KindChange, ID: "1"}:                        fault.NotFound,
		{Kind: KindChange, ID: "99999999999999999999"}:     fault.NotFound,
	} {
		if d, err := l.Diff(t.Context(), a); !fault.Is(err, code) {
			t.Errorf("%+v: %+v, %v", a, d, err)
		}
	}
}

// TestTheTextsBeforeAndAfterEdits: what is not known of one edit is not known of all.
func TestTheTextsBeforeAndAfterEdits(t *testing.T) {
	whole := intents.Edit{Path: "a", New: "all", Whole: true}
	for name, x := range map[string]struct {
		edits   []intents.Edit
		created bool
		want    sides
		none    bool
	}{
		"a new file":        {edits: []intents.Edit{whole}, created: true, want: sides{"", "all\n"}},
		"a file of before":  {edits: []intents.Edit{whole}, none: true},
		"whole and in part": {edits: []intents.Edit{whole, {Old: "a", New: "b"}}, created: true, none: true},
		"an insertion":      {edits: []intents.Edit{{New: "b"}}, want: sides{"", "b\n"}},
		"a deletion":        {edits: []intents.Edit{{Old: "a\n"}}, want: sides{"a\n", ""}},
		"no edits":          {none: true},
		"nothing changes":   {edits: []intents.Edit{{Old: "a", New: "a\n"}}, none: true},
	} {
		if got, ok := sidesOf(x.edits, x.created); ok == x.none || ok && got != x.want {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}

// TestEditsAreThoseOfTheFile: a call may edit files whose paths end alike.
func TestEditsAreThoseOfTheFile(t *testing.T) {
	all := intents.Edits("apply_patch", encoding(map[string]any{"input": "*** Begin Patch\n" +
		"*** Update File: lib/src/add.go\n@@\n-wrong\n+file\n*** Update File: src/add.go\n@@\n same\n-old\n+new\n" +
		"@@\n-x\n+y\n*** End Patch"}))
	for file, want := range map[string]string{
		"src/add.go": "same\nold|x", "lib/src/add.go": "wrong", "add.go": "same\nold|x", "other.go": "", "d.go": "",
	} {
		var old []string
		for _, e := range editsOf(file, all) {
			old = append(old, e.Old)
		}
		if got := strings.Join(old, "|"); got != want {
			t.Errorf("%s: %q", file, got)
		}
	}
	windows := []intents.Edit{{Path: `C:\ws\src\add.go`}}
	if len(editsOf("src/add.go", windows)) != 1 {
		t.Error("a path of Windows is not found")
	}
}
