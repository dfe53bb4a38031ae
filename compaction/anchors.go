package compaction

import (
	"strconv"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/quote"
	"ctxledger.dev/internal/pattern"
)

const (
	carriedHead = "CARRIED ANCHORS (verbatim, not in the summary above):"
	// carriedChars bounds what is carried from the text of an earlier summary.
	carriedChars = 4_000
)

// formerArtifactsHead is the beginning of that heading in documents of earlier versions.
const formerArtifactsHead = "[ARTIFACTS — "

// An anchor is an item that later summaries repeat while their budget lasts: a request, a file with its changes,
// an open failure, a handle.
type anchor struct {
	key  string // as line.anchor: "file:src/a.go"
	text string // the line that printed it
}

var (
	fileAnchor   = pattern.Lazy(`(?m)^  - (.+?) — .+$`)
	handleAnchor = pattern.Lazy(`(?m)^  ([0-9a-f]{12,64})  .+$`)
	turnAnchor   = pattern.Lazy(`^turn (\d+)`)
)

// anchorsOf parses the anchors of a summary from its text. Requests and open failures are not among them: the log
// provides those, see anchored and addOpen.
func anchorsOf(text string) []anchor {
	var out []anchor
	for _, b := range quote.BlocksOf(text) {
		switch {
		case strings.HasPrefix(b, filesHead), strings.HasPrefix(b, formerFilesHead):
			for _, m := range fileAnchor().FindAllStringSubmatch(b, -1) {
				out = append(out, anchor{"file:" + m[1], m[0]})
			}
		case strings.HasPrefix(b, artifactsHead), strings.HasPrefix(b, formerArtifactsHead):
			for _, m := range handleAnchor().FindAllStringSubmatch(b, -1) {
				out = append(out, anchor{"handle:" + m[1], m[0]})
			}
		case strings.HasPrefix(b, carriedHead):
			out = append(out, carriedAnchors(b)...)
		}
	}
	return out
}

func carriedAnchors(block string) []anchor {
	var out []anchor
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, "\n")
		if m := fileAnchor().FindStringSubmatch(line); m != nil {
			out = append(out, anchor{"file:" + m[1], line})
		} else if m := handleAnchor().FindStringSubmatch(line); m != nil {
			out = append(out, anchor{"handle:" + m[1], line})
		}
	}
	return out
}

// quotedTurns returns the turns whose requests a summary quotes.
func quotedTurns(text string) []int {
	var out []int
	for _, head := range []string{taskHead, conversationHead, requestsHead} {
		for _, e := range quote.Unquote(quote.BlockWith(text, head)) {
			if m := turnAnchor().FindStringSubmatch(e.Label); m != nil {
				n, _ := strconv.Atoi(m[1])
				out = append(out, n)
			}
		}
	}
	return out
}

// carry promotes lines whose anchor the earlier summary had and that were left out, and adds the anchors that have
// no line any more, as that summary printed them. It reports whether there were any.
func (s *source) carry(d *layout.Document) bool {
	var b *layout.Block
	changed, chars := false, 0
	for _, a := range anchorsOf(s.in.PreviousText) {
		if l := d.Find(a.key); l != nil {
			if !l.In {
				d.Promote(l)
				changed = true
			}
			continue
		}
		if chars += len(a.text); chars > carriedChars {
			break
		}
		if b == nil {
			b = d.InsertBeforeBody(&layout.Block{Head: carriedHead})
		}
		d.Add(b, &layout.Line{Text: a.text, Class: layout.ClassAnchor, Anchor: a.key, Pos: int64(len(b.Lines) + 1)})
		changed = true
	}
	return changed
}
