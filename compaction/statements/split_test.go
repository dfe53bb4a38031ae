package statements

import (
	"fmt"
	"strings"
	"testing"
)

// shown prints pieces, one a line: kind, the piece that it needs, text.
func shown(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		need := ""
		if p.lead >= 0 {
			need = fmt.Sprint("<", p.lead)
		}
		fmt.Fprintf(&b, "%c%s %s\n", "sHirc"[p.kind], need, strings.ReplaceAll(p.text, "\n", " / "))
	}
	return strings.TrimRight(b.String(), "\n")
}

// long is a sentence that makes its line longer than one statement may be.
var long = "The importer opens the file anew for every single row, which takes forty seconds for the file of the " +
	"largest customer and two for the others, as the trace of the last night shows in all detail on its third page"

// TestSplit: to add a case, add a row. A piece is "KIND TEXT": s sentence, H heading or introduction, i items of a
// list, r row of a table, c code; "<0" is the number of the piece that it needs.
func TestSplit(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", " \n\n---\n***\n", ""},
		{"a short line stays whole", "It works now. The tests pass.", "s It works now. The tests pass."},
		{"a long line is split into sentences", long + ". The cache is cleared too early! Is that meant? Yes it is.",
			"s " + long + ".\ns The cache is cleared too early!\ns Is that meant?\ns Yes it is."},
		{"names and numbers end no sentence", long + " of v1.2.3, see go.mod, e.g. the line 3.5 there. Done it is.",
			"s " + long + " of v1.2.3, see go.mod, e.g. the line 3.5 there.\ns Done it is."},
		{"quotes and brackets belong to the sentence", long + " (\"all of it.\") Next one of them is here.",
			"s " + long + " (\"all of it.\")\ns Next one of them is here."},
		{"German", strings.Repeat("Die Ursache ist der Cache, der zu früh geleert wird und deshalb leer ist", 4) +
			". Über den Rest sprechen wir später. Ähnlich ist es dort.",
			"s " + strings.Repeat("Die Ursache ist der Cache, der zu früh geleert wird und deshalb leer ist", 4) +
				".\ns Über den Rest sprechen wir später.\ns Ähnlich ist es dort."},
		{"Chinese", strings.Repeat("缓存每次都被清空所以读取非常慢", 6) + "。问题是文件太大。" + "你要哪一个方案？",
			"s " + strings.Repeat("缓存每次都被清空所以读取非常慢", 6) + "。\ns 问题是文件太大。\ns 你要哪一个方案？"},
		{"Japanese", strings.Repeat("キャッシュが毎回消えるので遅い", 6) + "。原因はファイルです。",
			"s " + strings.Repeat("キャッシュが毎回消えるので遅い", 6) + "。\ns 原因はファイルです。"},
		{"Russian", strings.Repeat("Причина в том, что кэш очищается слишком рано", 4) + ". Это исправлено. Тесты проходят.",
			"s " + strings.Repeat("Причина в том, что кэш очищается слишком рано", 4) + ".\ns<0 Это исправлено.\ns Тесты проходят."},
		{"a reference needs the sentence before", "The cache is cleared too early.\nThis makes the import slow.\nIt also leaks.",
			"s The cache is cleared too early.\ns<0 This makes the import slow.\ns<1 It also leaks."},
		{"a paragraph of its own needs none", "The cache is cleared too early.\n\nThis makes the import slow.",
			"s The cache is cleared too early.\ns This makes the import slow."},
		{"a heading", "## Causes\nThe cache.", "H ## Causes\ns The cache."},
		{"short items are one statement", "Two reasons:\n- the cache is cleared\n- the file is large\n",
			"H Two reasons:\ni<0 - the cache is cleared / - the file is large"},
		{"long items stand alone", "Reasons:\n- " + long + " first\n- " + long + " second",
			"H Reasons:\ni<0 - " + long + " first / - " + long + " second"},
		{"very long items stand alone", "Reasons:\n1. " + long + " and " + long + "\n2) " + long,
			"H Reasons:\ni<0 1. " + long + " and " + long + "\ni<0 2) " + long},
		{"a list behind a blank line", "Reasons:\n\n* the cache\n", "H Reasons:\ni<0 * the cache"},
		{"a table", "The times:\n\n| file | seconds |\n|---|---|\n| a.csv | 40 |\n| b.csv | 2 |\n",
			"H The times:\nH<0 | file | seconds |\nr<1 | a.csv | 40 |\nr<1 | b.csv | 2 |"},
		{"two tables", "| a | b |\n|---|---|\n| 1 | 2 |\n\n| c | d |\n|---|---|\n| 3 | 4 |",
			"H | a | b |\nr<0 | 1 | 2 |\nH | c | d |\nr<2 | 3 | 4 |"},
		{"short code needs its sentence", "The call is now this one.\n```go\ncache.Get(key, fresh)\n```\nIt is quick.",
			"s The call is now this one.\nc<0 cache.Get(key, fresh)\ns<0 It is quick."},
		{"long code is left out", "The log.\n```\n" + strings.Repeat("a line of a long log\n", 40) + "```\nThat is all of it.",
			"s The log.\ns<0 That is all of it."},
		{"a fence that never ends", "See.\n~~~\n" + strings.Repeat("x y z\n", 100), "s See."},
		{"a fence in a quotation", "> ```\n> the quoted text of it\n> ```\nAfter.", "c > the quoted text of it\ns After."},
		{"a rule parts a list", "- the cache\n---\n- the file\n", "i - the cache\ni - the file"},
		{"a full-width colon introduces", "原因如下：\n- 缓存\n", "H 原因如下：\ni<0 - 缓存"},
		{"an emphasised introduction", "**Two reasons:**\nThe cache.", "s **Two reasons:**\ns The cache."},
		{"an emphasised introduction of a list", "**Two reasons:**\n- the cache\n", "H **Two reasons:**\ni<0 - the cache"},
		{"what stands before an introduction is said", "I found the bug. The cleanup uses the old name. Let me fix it:",
			"s I found the bug. The cleanup uses the old name."},
		{"an introduction that nothing follows is said", "The reset has to look up all branches first, so it changes more:",
			"s The reset has to look up all branches first, so it changes more:"},
		{"what stands before an announcement leads the list", "Three tests fail. Let me fix them:\n- TestA\n- TestB\n",
			"s Three tests fail.\ni<0 - TestA / - TestB"},
		{"what stands before an introduction does not lead", "Three tests fail. The reasons:\n- the cache\n",
			"s Three tests fail.\nH The reasons:\ni<1 - the cache"},
		{"a place and a label need their title", "**5. A loop in a loop**\n`cleanup.go:270-278`\n\n**Fix:** look it up once.\n\n**Risk**: none.",
			"s **5. A loop in a loop**\ns<0 `cleanup.go:270-278`\ns<0 **Fix:** look it up once.\ns<0 **Risk**: none."},
		{"a list needs its title", "## Options\n\n**1. Keep them in `paths`** (revert)\n- Avoids the cycle\n\n**2. A package** ✅ **best fit**\n```\na drawing of the package\n```\n- Both can import it",
			"H ## Options\ns **1. Keep them in `paths`** (revert)\ni<1 - Avoids the cycle\ns **2. A package** ✅ **best fit**\n" +
				"c<3 a drawing of the package\ni<3 - Both can import it"},
		{"a definition is no title", "**`paths/`** - Path construction\n- one item of it",
			"s **`paths/`** - Path construction\ni - one item of it"},
		{"a title is not that of the next part", "**5. A loop**\n---\n`cleanup.go:270-278`", "s **5. A loop**\ns `cleanup.go:270-278`"},
		{"a label under a heading", "## Option 2\n\nLines on the left.\n\n**Pros:** shows what is parallel.",
			"H ## Option 2\ns Lines on the left.\ns<0 **Pros:** shows what is parallel."},
		{"a sentence with code is no place", "**A title of it**\n`a.go` is read by `b.go` twice.",
			"s **A title of it**\ns `a.go` is read by `b.go` twice."},
		{"CRLF", "The cache is cleared.\r\n- one item of it\r\n", "s The cache is cleared.\ni - one item of it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(split(c.text)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func joined(s string) string { return strings.Join(strings.Fields(s), " ") }

// FuzzSplit: pieces are parts of the text, verbatim but for white space, in their order, and need only earlier ones.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "a", "# x\n- y\n1. z", "```\nlong enough code\n```", "~~~\nno end", long + ". " + long + "! Yes.",
		"| a |\n|-|\n| b |", "发现问题。已修复！", "\xff\xfe. \xc3", "Two:\n- a\n- b\n\nThis.", "Found it. Let me fix it:\n- a\n\nSo it fails, because:", "> ```\n> quoted code is here"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rest := joined(s[:min(len(s), maxText)])
		for i, p := range split(s) {
			text := joined(p.text)
			at := strings.Index(rest, text)
			if text == "" || at < 0 {
				t.Fatalf("piece %d, %q, is not in order in %q", i, p.text, s)
			}
			rest = rest[at+len(text):]
			if p.lead >= i || p.lead < -1 {
				t.Fatalf("piece %d needs piece %d", i, p.lead)
			}
		}
	})
}
