package layout

import (
	"strconv"
	"strings"

	"ctxledger.dev/internal/pattern"
)

// Headings of the blocks that are read.
const (
	Files    = "[FILES CHANGED — net, already on disk]"
	Handles  = "[LOOK UP — handles for read_artifact, files that were read]"
	Reads    = "[LOOK UP — files that were read]" // in the place of Handles where there are none
	Carried  = "CARRIED ANCHORS (verbatim, not in the summary above):"
	Task     = "[TASK — in the user's words]"
	Said     = "[CONVERSATION — the user verbatim; indented: sentences of the agent, claims]"
	OldFiles = "FILES MODIFIED IN THIS SESSION (before compaction):" // of earlier versions
	// OldHandles is the beginning of that heading in documents of earlier versions, OldSaid where they quoted the user.
	OldHandles = "[ARTIFACTS — "
	OldSaid    = "[USER MESSAGES — verbatim]"
)

// An Anchor is an item that later summaries repeat while their budget lasts.
type Anchor struct {
	Key  string // as of a line of a document: "file:src/a.go", "handle:0123456789ab"
	Text string // the line that printed it
}

var (
	fileLine   = pattern.Lazy(`(?m)^  - (.+?) — .+$`)
	handleLine = pattern.Lazy(`(?m)^  ([0-9a-f]{12,64})  .+$`)
	turnLabel  = pattern.Lazy(`^turn (\d+)`)
)

// AnchorsOf returns the anchors of a summary, in the order of its text. Requests and open failures are not among them: the log
// has those.
func AnchorsOf(text string) []Anchor {
	var out []Anchor
	for _, b := range BlocksOf(text) {
		switch {
		case strings.HasPrefix(b, Files), strings.HasPrefix(b, OldFiles):
			for _, m := range fileLine().FindAllStringSubmatch(b, -1) {
				out = append(out, Anchor{"file:" + m[1], m[0]})
			}
		case strings.HasPrefix(b, Handles), strings.HasPrefix(b, OldHandles):
			for _, m := range handleLine().FindAllStringSubmatch(b, -1) {
				out = append(out, Anchor{"handle:" + m[1], m[0]})
			}
		case strings.HasPrefix(b, Carried):
			out = append(out, carried(b)...)
		}
	}
	return out
}

func carried(block string) []Anchor {
	var out []Anchor
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, "\n")
		if m := fileLine().FindStringSubmatch(line); m != nil {
			out = append(out, Anchor{"file:" + m[1], line})
		} else if m := handleLine().FindStringSubmatch(line); m != nil {
			out = append(out, Anchor{"handle:" + m[1], line})
		}
	}
	return out
}

// AnchorTurns returns the turns whose requests a summary quotes.
func AnchorTurns(text string) []int {
	var out []int
	for _, head := range []string{Task, Said, OldSaid} {
		for _, e := range Unquote(BlockWith(text, head)) {
			if m := turnLabel().FindStringSubmatch(e.Label); m != nil {
				n, _ := strconv.Atoi(m[1])
				out = append(out, n)
			}
		}
	}
	return out
}
