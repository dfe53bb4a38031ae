package compaction

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/transcript"
)

// A session that continues another one begins with our document of that. What it quotes of the user is taken as the user's
// words, and the rest is shown without what is newer in this session: so the work of both is described once.

// continuedHead is the heading of that rest.
const continuedHead = "[EARLIER SUMMARY — of session %s, by ctxledger]"

// continued returns the document that a session begins with; "" if the text of its first message is none.
func (in *Input) continued(text string) string {
	text = transcript.EarlierText(text)
	if in.Session.Continues == "" || !strings.HasPrefix(text, documentHead) {
		return ""
	}
	return text
}

// handedOn takes what the user said in the session that this one continues.
func (l *listener) handedOn(i int) error {
	it := &l.in.Items[i]
	text, err := l.in.textOf(it)
	if err != nil {
		return err
	}
	document := l.in.continued(text)
	var said []*utterance
	for _, head := range []string{layout.Task, layout.Said} {
		for _, e := range layout.Unquote(layout.BlockWith(document, head)) {
			from := *it
			if _, err := fmt.Sscanf(e.Label, "turn %d", &from.Turn); err == nil {
				said = append(said, &utterance{item: &from, index: i, text: e.Text, handedOn: true,
					via: "session " + l.in.Session.Continues})
			}
		}
	}
	slices.SortStableFunc(said, func(a, b *utterance) int { return cmp.Compare(a.item.Turn, b.item.Turn) })
	l.user = append(l.user, said...)
	return nil
}

// current are the beginnings of the blocks of a document that say how things stood, or what the user said, and so are
// not repeated.
var current = []string{documentHead, layout.Task, nowHead, layout.Said, "[WHAT THE NEWEST RESULTS", "[DOCUMENTS",
	"[INTENT-DERIVED", "[CONTEXT RECONSTRUCTION", "All of it, byte for byte"}

// restOf returns what else a document says: what was done, and the agent's sentences.
func restOf(document string) string {
	var rest []string
	for _, block := range layout.BlocksOf(document) {
		if !slices.ContainsFunc(current, func(head string) bool { return strings.HasPrefix(block, head) }) {
			rest = append(rest, block)
		}
	}
	return strings.Join(append(rest, sentencesIn(layout.BlockWith(document, layout.Said))...), "\n\n")
}

// sentencesIn returns the agent's sentences in the block of a conversation, under the headings of their turns.
func sentencesIn(block string) []string {
	var lines []string
	fence := ""
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, "\n")
		switch {
		case fence != "":
			if line == fence {
				fence = ""
			}
		case layout.OpensFence(line):
			fence = line
		case strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "  — answering"),
			strings.HasPrefix(line, "Agent, turn "), strings.HasPrefix(line, "Reports to the agent, turn "),
			strings.HasPrefix(line, `Report of "`):
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return []string{strings.Join(lines, "\n")}
}
