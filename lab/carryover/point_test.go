package carryover

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// talk makes a conversation.
type talk struct {
	all   []Message
	calls int
}

func (k *talk) user(text string) {
	k.all = append(k.all, Message{Request: true, Message: transcript.Message{
		Role: transcript.RoleUser, Parts: []transcript.Part{{Kind: transcript.KindText, Text: text}},
	}})
}

// do makes a call and its result.
func (k *talk) do(tool string, args map[string]string, result string, failed bool) {
	k.calls++
	id := fmt.Sprint("call ", k.calls)
	raw, _ := json.Marshal(args)
	k.all = append(k.all,
		Message{Message: transcript.Message{Role: transcript.RoleAssistant, Parts: []transcript.Part{
			{Kind: transcript.KindCall, ID: id, Name: tool, Args: raw},
		}}},
		Message{Message: transcript.Message{Role: transcript.RoleTool, Parts: []transcript.Part{
			{Kind: transcript.KindResult, ID: id, Text: result, IsError: failed},
		}}})
}

func (k *talk) edit(path, body string) {
	k.do("Edit", map[string]string{"file_path": path, "new_string": body}, "ok", false)
}
func (k *talk) run(command, result string, failed bool) {
	k.do("Bash", map[string]string{"command": command}, result, failed)
}

// shop is a conversation of which each measure knows something, and what came after it.
func shop() *Point {
	var before, after talk
	before.user("Please add a discount to the cart of the shop, in cents only.")
	before.do("Read", map[string]string{"file_path": "/w/shop/cart/cart.go"},
		"func TotalCents() {}\ntype LineItem struct{}\nErrEmpty", false)
	before.edit("/w/shop/cart/cart.go", "func ApplyDiscount(totalCents int) {}")
	before.edit("/w/shop/README.md", "plain words only")
	before.do("Edit", map[string]string{"file_path": "/w/shop/cart/old.go"}, "not found", true)
	before.run("cd /w/shop && go test ./cart 2>&1 | tail -5", "FAIL", true)
	before.run("go vet ./...", "", false)
	before.run("go test ./cart", "ok", false)
	before.run("go test ./cart", "The user doesn't want to proceed with this tool use.", true)
	before.run("make lint", "<tool_use_error>Sibling tool call errored</tool_use_error>", true)
	before.user("<command-name>/clear</command-name>")
	after.edit("/w/shop/cart/cart.go", "ErrEmpty")
	after.run("grep -rn LineItem .", "cart.go: TotalCents", false)
	after.run("grep -rn TotalCents .", "NewName", false)
	after.run("grep -rn NewName .", "", false)
	return NewPoint("/w", before.all, after.all)
}

func TestAPointHoldsWhatIsNeededLater(t *testing.T) {
	p := shop()
	if p.Calls() != 4 {
		t.Errorf("%d calls", p.Calls())
	}
	for id, want := range map[string][2]bool{ // needed, hard
		"cart/cart.go": {true, true},
		"LineItem":     {true, true},
		"ErrEmpty":     {true, false}, // in the body of an edit
		"TotalCents":   {true, false}, // a result said it again
		"NewName":      {false, false},
	} {
		if p.need[id] != want[0] || p.hard[id] != want[1] {
			t.Errorf("%s: needed %v, hard %v; want %v", id, p.need[id], p.hard[id], want)
		}
	}
}

// Each line of the table changes one thing about a text that has everything.
func TestEveryMeasureSeesWhatIsMissing(t *testing.T) {
	const whole = `Please add a discount to the cart of the shop, in cents only.
cart/cart.go: edited, ApplyDiscount
LineItem ErrEmpty TotalCents
shop/README.md: edited
go test ./cart → exit 0
go vet ./... → passed
`
	p := shop()
	full := p.Measure(whole)
	for name, share := range map[string]Share{"need": full.Need, "hard": full.Hard, "files": full.Files,
		"bind": full.Bind, "commands": full.Commands, "user": full.User} {
		if share != 1 {
			t.Errorf("%s of the whole text is %v", name, share)
		}
	}
	for _, c := range []struct {
		name, old, new string
		of             func(Figures) Share
		want           Share
	}{
		{"need", "TotalCents", "TotalCentsX", func(f Figures) Share { return f.Need }, 0.75},
		{"need on word boundaries", "ErrEmpty", "errErrEmpty", func(f Figures) Share { return f.Need }, 0.75},
		{"hard", "LineItem", "", func(f Figures) Share { return f.Hard }, 0.5},
		{"files", "shop/README.md", "README.md", func(f Figures) Share { return f.Files }, 0.5},
		{"bind", "ApplyDiscount", "", func(f Figures) Share { return f.Bind }, 0},
		{"bind, too far", ", ApplyDiscount\n", "\n\n\n\n\nApplyDiscount\n", func(f Figures) Share { return f.Bind }, 0},
		{"commands: outcome", "exit 0", "exit 1", func(f Figures) Share { return f.Commands }, 0.5},
		{"commands: another one", "./cart →", "./cart/x →", func(f Figures) Share { return f.Commands }, 0.5},
		{"user", "Please add a discount to", "Please add", func(f Figures) Share { return f.User }, 4.0 / 9},
	} {
		text := strings.Replace(whole, c.old, c.new, 1)
		if text == whole {
			t.Fatalf("%s: nothing changed", c.name)
		}
		if got := c.of(p.Measure(text)); math.Abs(float64(got-c.want)) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestPrecisionAndDensityAreOfTheText(t *testing.T) {
	p := shop()
	list := "LineItem FooBar\n" + strings.Repeat("aB", 1) + "1x cD dE eF_g fG_h gH_i hI_j iJ_k jK_l kL_m lM_n\n"
	f := p.Measure(list)
	first := strings.Index(list, "\n") + 1
	if want := float64(first) / float64(len(list)); math.Abs(float64(1-f.Dense)-want) > 1e-9 {
		t.Errorf("dense: %v of %q", f.Dense, list)
	}
	if f.Precision <= 0 || f.Precision > 0.2 {
		t.Errorf("precision: %v", f.Precision)
	}
}

func TestWhatNobodyLooksForIsNoShare(t *testing.T) {
	f := NewPoint("", nil, nil).Measure("")
	for _, s := range f.shares() {
		if s.Known() {
			t.Errorf("of nothing: %+v", f)
		}
	}
	raw, err := json.Marshal(f)
	if err != nil || !strings.Contains(string(raw), `"need":null`) ||
		!strings.Contains(string(raw), `"lists":null`) {
		t.Errorf("%s, %v", raw, err)
	}
	half := Figures{Need: 0.5}
	if m := Mean([]Figures{f, half}); m.Need != 0.5 || m.Hard != 0 {
		t.Errorf("mean: %+v", m)
	}
}

func TestBaselinesKeepTheirLength(t *testing.T) {
	p := shop()
	for _, budget := range []int{0, 1, 7, 30, 1000} {
		for name, text := range map[string]string{"words": p.WordList(budget), "tail": p.Tail(budget)} {
			if n := tokens.O200kBase.CountString(text); n > budget {
				t.Errorf("%s: %d tokens, budget %d", name, n, budget)
			}
		}
	}
	if tail := p.Tail(30); !strings.HasSuffix(p.before, tail) || tail == "" {
		t.Errorf("tail: %q", tail)
	}
	if list := p.WordList(1000); !strings.Contains(list, "ApplyDiscount") || !strings.Contains(list, "in cents only") {
		t.Errorf("list: %q", list)
	}
}

func TestPathsAreNamedByTwoSegments(t *testing.T) {
	for path, want := range map[string]string{"/a/b/c.go": "b/c.go", "b/c.go": "b/c.go", "c.go": "c.go", "/": "",
		"a/": "a"} {
		if got := twoSegments(path); got != want {
			t.Errorf("%q: %q", path, got)
		}
	}
	text := newText("see x/b/c.go: and b/c.gox")
	if !text.names("b/c.go") || text.names("b/c.g") {
		t.Error("boundaries of paths")
	}
}

func TestChecksAreFoundInCommandLines(t *testing.T) {
	for line, want := range map[string]string{
		"cd x && go test ./... 2>&1 | tail -3":       "go test ./...",
		"FOO=1 timeout 60 npm run lint; ls":          "npm run lint",
		"mise run fmt && mise run test:ci":           "mise run fmt|mise run test:ci",
		"git status":                                 "",
		"cat <<E\ngo test\nE":                        "",
		"go  test   -run 'A|B' ./x > /tmp/out":       "go test -run 'A|B' ./x",
		"./node_modules/.bin/vitest run src/a.ts||x": "./node_modules/.bin/vitest run src/a.ts",
	} {
		var found []string
		for _, c := range checksIn(line) {
			found = append(found, c.text)
		}
		if got := strings.Join(found, "|"); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestTheOutcomeOfACheckIsThatOfItsLastRun(t *testing.T) {
	const refused = "The user doesn't want to proceed with this tool use."
	type run struct {
		command, result string
		failed          bool
	}
	for name, c := range map[string]struct {
		runs []run
		text string
		kept Share
	}{
		"passed":              {[]run{{"go vet ./...", "", false}}, "go vet ./... → exit 0", 1},
		"said to have failed": {[]run{{"go vet ./...", "", false}}, "go vet ./... → exit 1", 0},
		"refused afterwards":  {[]run{{"make test", "ok", false}, {"make test", refused, true}}, "make test: ok", 1},
		"cancelled": {[]run{{"make test", "ok", false}, {"make lint", "<tool_use_error>Cancelled", true}},
			"make test: ok", 1},
		"through a filter, passed": {[]run{{"make test | tail -3", "FAIL", false}}, "make test: exit 0", 1},
		"through a filter, failed": {[]run{{"make test | tail -3", "FAIL", false}}, "make test: FAILED", 1},
		"through a filter, silent": {[]run{{"make test | tail -3", "FAIL", false}}, "make test ran", 0},
		"a filter that failed":     {[]run{{"make test | grep x", "", true}}, "make test: ok", 0},
	} {
		var before talk
		before.user("Check it.")
		for _, r := range c.runs {
			before.run(r.command, r.result, r.failed)
		}
		if got := NewPoint("/w", before.all, nil).Measure(c.text).Commands; got != c.kept {
			t.Errorf("%s: %v, want %v", name, got, c.kept)
		}
	}
}

// Any two texts: what is said more names no less.
func FuzzNamingIsMonotone(f *testing.F) {
	f.Add("FooBar in a/b.go", " and more", "FooBar")
	f.Add("ä/b.go", "x", "ä/b.go")
	f.Fuzz(func(t *testing.T, a, b, id string) {
		if id == "" || strings.TrimSpace(id) != id || strings.ContainsAny(id, " \n") {
			return
		}
		if newText(a).names(id) && !newText(a+"\n"+b).names(id) {
			t.Errorf("%q is named in %q, but not with %q behind it", id, a, b)
		}
		for _, found := range identifiers(a) {
			if found == "" {
				t.Errorf("an empty identifier in %q", a)
			}
		}
	})
}
