package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/mark3labs/mcp-go/client"
	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/ledger"
)

// passed says how clients count a result, and the most that they pass on whole: what they do, not what we leave free.
var passed = map[string]struct {
	most, lines int
	count       func(t *testing.T, r *proto.CallToolResult) int
}{
	"claude-code":                   {50_000, 0, unitsOfText},
	"codex-mcp-client":              {12_000, 0, bytesOfText},
	"gemini-cli-mcp-client":         {40_000, 0, unitsOfText},
	"qwen-cli-mcp-client-ctxledger": {25_000, 1_000, unitsOfText},
	"opencode":                      {51_200, 2_000, bytesOfText},
	"@cline/core":                   {8_000, 0, unitsOfJSON},
	"another":                       {1 << 30, 0, bytesOfText},
}

func bytesOfText(t *testing.T, r *proto.CallToolResult) int { return len(textOf(t, r)) }
func unitsOfText(t *testing.T, r *proto.CallToolResult) int {
	return len(utf16.Encode([]rune(textOf(t, r))))
}

// unitsOfJSON counts what JSON.stringify makes of a whole result.
func unitsOfJSON(t *testing.T, r *proto.CallToolResult) int {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(json.RawMessage(raw)); err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(strings.TrimSpace(b.String()))
	return len(utf16.Encode([]rune(text)))
}

// many returns lines of a form that takes their number.
func many(n int, form string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// pageKinds are texts that clients count in different ways.
func pageKinds() map[string]string {
	return map[string]string{
		"lines":          many(900, "2026-11-20 11:05:%02d GET /catalogue/items 200 in 12 ms, 4,096 bytes\n"),
		"short lines":    many(9_000, "%d\n"),
		"empty lines":    strings.Repeat("\n", 9_000),
		"Chinese":        many(900, "第%d行写着价格，价格以分为单位保存，合计在最后一列。\n"),
		"outside of BMP": many(2_000, "🙂🚀 %d\n"),
		"quotes":         many(900, `{"n":%d,"path":"C:\\shop","note":"\"ok\""}`+"\n"),
		"controls":       many(1_500, "\x1b[32m✓\x1b[0m test %d\n"),
		"one line":       strings.Repeat("0123456789", 3_000),
		"one line of ESC, no end": strings.Repeat("\x1b", 20_000) + "\n" +
			strings.Repeat(`"`, 20_000),
		"short, then dense": strings.Repeat("plain text ", 600) + strings.Repeat("\x01\x02\n", 3_000),
	}
}

var pageForm = regexp.MustCompile(`^\[(.+) of \d+ lines, \d+ bytes\]\n`)
var pageBytes = regexp.MustCompile(`bytes (\d+)-(\d+)$`)

// readOn takes a page apart: its text, and the arguments of the call that reads on; nil for the last page.
func readOn(t *testing.T, page string) (text string, more args) {
	t.Helper()
	head := pageForm.FindStringSubmatch(page)
	if head == nil {
		t.Fatalf("no page: %.200q", page)
	}
	text = page[len(head[0]):]
	at := strings.LastIndex(text, "[next: read_artifact ")
	if at < 0 {
		return text, nil
	}
	call := strings.TrimSuffix(text[at+len("[next: read_artifact "):], "]")
	if err := json.Unmarshal([]byte(call), &more); err != nil {
		t.Fatalf("%v: %.200q", err, text[at:])
	}
	text = text[:at]
	if m := pageBytes.FindStringSubmatch(head[1]); m != nil {
		from, err1 := strconv.Atoi(m[1])
		to, err2 := strconv.Atoi(m[2])
		if err1 != nil || err2 != nil || len(text) < to+1-from {
			t.Fatalf("%s: %d bytes", head[0], len(text))
		}
		text = text[:to+1-from]
	}
	return text, more
}

// readAll follows the pages of an answer and returns the whole text. Each page must reach the client's model whole.
func readAll(t *testing.T, c *client.Client, name string, r *proto.CallToolResult) (whole string, pages int) {
	t.Helper()
	var b strings.Builder
	for {
		pages++
		if n := passed[name].count(t, r); n > passed[name].most {
			t.Errorf("page %d has %d of at most %d", pages, n, passed[name].most)
		}
		page := textOf(t, r)
		if n := strings.Count(page, "\n") + 1; passed[name].lines > 0 && n > passed[name].lines {
			t.Errorf("page %d has %d of at most %d lines", pages, n, passed[name].lines)
		}
		text, more := readOn(t, page)
		b.WriteString(text)
		if more == nil {
			return b.String(), pages
		}
		r = try(t, c, "read_artifact", more)
	}
}

func TestPagesReachEveryClientWhole(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Structured = false })
	for name := range passed {
		c := connect(t, f.Server, name)
		for kind, text := range pageKinds() {
			id := f.keep(t, text)
			for _, a := range []args{{"id": id, "limit": 40_000}, {"id": id}} {
				t.Run(fmt.Sprint(name, "/", kind, a["limit"]), func(t *testing.T) {
					got, pages := readAll(t, c, name, try(t, c, "read_artifact", a))
					if got != text {
						t.Errorf("%d pages have %d bytes, not the %d of the text", pages, len(got), len(text))
					}
					if full := len(text) / passed[name].most * 8; pages > full+10 && a["limit"] != nil {
						t.Errorf("%d pages", pages)
					}
				})
			}
		}
	}
}

// A search cannot be read on by position alone: its pages fit as well.
func TestPagesOfASearchReachEveryClientWhole(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Structured = false })
	id := f.keep(t, many(3_000, `"row" %d \ `+strings.Repeat("\x1b", 40)+"\n"))
	c := connect(t, f.Server, "@cline/core")
	rows := 0
	for a := (args{"id": id, "grep": `"row"`, "limit": 40_000}); a != nil; {
		r := try(t, c, "read_artifact", a)
		if n := unitsOfJSON(t, r); n > passed["@cline/core"].most {
			t.Fatalf("%d characters", n)
		}
		var text string
		text, a = readOn(t, textOf(t, r))
		rows += strings.Count(text, `:"row"`)
	}
	if rows != 3_000 {
		t.Errorf("%d of 3,000 matches", rows)
	}
}

// What any other tool answers is read on like an artifact when the client would not pass it on whole.
func TestLongAnswersOfEveryToolReachEveryClientWhole(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Structured = false })
	id := f.shop(t)
	for i := range 40 {
		do[any](t, connect(t, f.Server, "tester"), "memory", args{"action": "save", "name": fmt.Sprint("fact ", i),
			"body": strings.Repeat("a \"fact\"\n", 400)})
	}
	had := stored(t, f)
	for what, a := range map[string]struct {
		tool string
		args args
	}{
		"changes":  {"changes", args{"limit": 200}},
		"messages": {"compact_conversation", args{"session": id, "return": "messages", "request_id": "r1"}},
		"recall":   {"memory", args{"action": "recall", "query": "fact", "limit": 20}},
	} {
		want := textOf(t, try(t, connect(t, f.Server, "another"), a.tool, a.args))
		for name := range passed {
			t.Run(what+"/"+name, func(t *testing.T) {
				c := connect(t, f.Server, name)
				r := try(t, c, a.tool, a.args)
				got, pages := textOf(t, r), 1
				if pageForm.MatchString(got) {
					got, pages = readAll(t, c, name, r)
					if n := stored(t, f); n != had {
						t.Errorf("the ledger keeps a copy: %d artifacts", n)
					}
				} else if n := passed[name].count(t, r); n > passed[name].most {
					t.Errorf("%d of at most %d", n, passed[name].most)
				}
				if got != want {
					t.Errorf("%d pages have %d bytes, not the %d of the answer", pages, len(got), len(want))
				}
			})
		}
	}
}

// stored returns how many artifacts a ledger has.
func stored(t *testing.T, f *fixture) int {
	t.Helper()
	list, err := f.local.Artifacts(t.Context(), ledger.ArtifactsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Total
}

// Only the newest long answers are kept; an older one says what to do.
func TestAnAnswerThatIsNotKeptSaysSo(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Structured = false })
	long := args{"session": f.shop(t), "return": "messages", "dry_run": true}
	c := connect(t, f.Server, "@cline/core")
	var first args
	for i := range keptAnswers + 1 {
		_, more := readOn(t, textOf(t, try(t, c, "compact_conversation", long)))
		if first == nil {
			first = more
		}
		if text := textOf(t, try(t, c, "read_artifact", first)); pageForm.MatchString(text) != (i < keptAnswers) {
			t.Errorf("after %d more: %.200q", i, text)
		}
	}
	contains(t, refused(t, c, "read_artifact", first), "not_found:", "no longer kept", "hint:", "returned it again")
}

// A long answer from before something was forgotten may have that, and is gone.
func TestALongAnswerDoesNotOutliveForgetting(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Structured = false })
	c := connect(t, f.Server, "@cline/core")
	_, more := readOn(t, textOf(t, try(t, c, "compact_conversation",
		args{"session": f.shop(t), "return": "messages", "dry_run": true})))
	if _, err := f.local.Forget(t.Context(), ledger.ForgetRequest{Text: "products.csv"}); err != nil {
		t.Fatal(err)
	}
	contains(t, refused(t, c, "read_artifact", more), "not_found:", "no longer kept")
}

// A resource has no pages of its own: its text says where it goes on.
func TestALongResourceSaysThatItGoesOn(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "another")
	text := many(3_000, "line %d\n")
	var r proto.ReadResourceRequest
	r.Params.URI = uriArtifact + f.keep(t, text)
	got, err := c.ReadResource(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	contents, ok := got.Contents[0].(proto.TextResourceContents)
	if !ok {
		t.Fatalf("%T", got.Contents[0])
	}
	if first, more := readOn(t, contents.Text); !strings.HasPrefix(text, first) || more["lines"] == nil {
		t.Errorf("%.200q, next %v", first, more)
	}
}
