package records

import (
	"strings"
	"testing"
)

// TestATitleIsNoLink: editors make links of bare addresses, too.
func TestATitleIsNoLink(t *testing.T) {
	for line, want := range map[string]string{
		"see https://evil.example/x": `see https:/\/evil.example/x`,
		"WWW.evil.example":           `WWW\.evil.example`,
		"mail a@b.example":           `mail a\@b.example`,
		"a/b.go: fix":                "a/b.go: fix",
		"[x](y) <b>":                 `\[x\](y) \<b\>`,
	} {
		if got := literal(line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// TestACutDocumentIsClosed: what follows a cut is neither in a code block nor in a folded part, and stored text that
// reads like the lines around one is neither.
func TestACutDocumentIsClosed(t *testing.T) {
	turn := beginFolded + "\n<summary>Turn 1</summary>\n\n"
	for text, want := range map[string]string{
		"said\n":                               "",
		"````\ncode\n":                         "````\n",
		turn + "said\n":                        "\n" + endFolded + "\n",
		turn + "```\ncode\n":                   "```\n\n" + endFolded + "\n",
		turn + "said\n\n" + endFolded + "\n":   "",
		turn + Fence(endFolded, "") + "said\n": "\n" + endFolded + "\n",
		Fence(beginUnfolded, "") + "said\n":    "",
	} {
		if got := closed(text); got != want {
			t.Errorf("%q is closed by %q", text, got)
		}
	}
}

// TestATurnIsNamedByWhatWasAsked: in a line that can be folded, as text and not as markup.
func TestATurnIsNamedByWhatWasAsked(t *testing.T) {
	l := newLedger(t)
	session := l.say("", user("Fix it.\nSecond line"), assistant("Done."),
		user(`</summary></details><img src=x onerror="alert(1)"> & [a](command:b) https://evil.example`), assistant("No."))
	text := must(l.Text(t.Context(), Address{Kind: KindSession, ID: session}))
	for _, want := range []string{
		"\n" + beginFolded + "\n<summary>Turn 1 · 2026-11-20 12:00 · Fix it.</summary>\n\n**User**\n",
		"\n" + endFolded + "\n\n" + beginUnfolded + "\n<summary>Turn 2 · 2026-11-20 12:00 · &lt;/summary&gt;&lt;/details&gt;" +
			"&lt;img src=x…</summary>\n\n**User**\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n"+endFolded+"\n"); n != 2 || !strings.HasSuffix(text, "\n"+endFolded+"\n") {
		t.Errorf("%d turns end in\n%s", n, text)
	}
}
