package window

import (
	"regexp"
	"strings"
	"sync"

	"ctxledger.dev/internal/pattern"
)

// forms are the formats of markers for left-out content: ours, and those of other programs of this kind. {N} is a
// number with commas, {*} any text of one line. The code that writes our markers uses the same constants.
var forms = []string{
	strings.ReplaceAll(markLarge, "%s", "{*}"),
	markArgument, markResult, markConsumed, markFilter, markInTurn, markBulk,
	"[...context-trimmed — {N} chars removed to fit model limit...]",
	"[tool result — evicted: {*}]",
	"[superseded — {*}]", "[omitted — superseded by later {*}]", strings.ReplaceAll(markAgain, "%s", "{*}"),
	"[cleared]", "[cleared: {*}]",
	"[result offloaded — {N} chars stored to artifact store]",
	markWords, "[reasoning omitted]", markWindow,
	"[...{N} chars truncated — use file tool to read in full]", "[...truncated — own_history turn exceeded {N} " +
		"char limit]",
	"[TRUNCATED — {N} chars total]",
	"[COLLAPSED TOOL CALLS — {N} call(s)]",
}

var (
	endMarker  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:` + anyForm() + `)$`) })
	onlyMarker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:` + anyForm() + `)$`) })
	handleLine = pattern.Lazy(`^` + artifactLine + `([0-9a-f]{8,64}(?:\.[0-9]{1,9}(?:-[0-9]{1,9})?)?)$`)
	handleCall = pattern.Lazy(`read_artifact\(id=\\?"([0-9a-f]{12,64}(?:\.[0-9]{1,4})?)`)
)

// anyForm is the expression of all forms. A dash may be escaped as in JSON.
func anyForm() string {
	var all []string
	for _, f := range forms {
		f = regexp.QuoteMeta(f)
		f = strings.NewReplacer(regexp.QuoteMeta("{N}"), `[\d,]+`, regexp.QuoteMeta("{*}"), `[^\n]*?`, "—",
			`(?:—|\\u2014)`).Replace(f)
		all = append(all, f)
	}
	return strings.Join(all, "|")
}
