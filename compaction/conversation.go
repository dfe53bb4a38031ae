package compaction

import (
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/compaction/statements"
)

// rankedBytes is how many bytes of statements are ranked for each token of the budget: more than can be printed.
const rankedBytes = 8

// addStatements adds the agent's sentences, the most worthy first, each in its place below the user's words.
func (s *source) addStatements(d *document, b *block) {
	talk := s.talk
	var user []string
	for _, u := range talk.user {
		user = append(user, u.text)
	}
	last := talk.lastWords()
	turns := make(map[int]*line)
	leads := make(map[[2]int]*line)
	for _, st := range statements.Rank(talk.messages, append(user, s.focus...), rankedBytes*s.budget) {
		it := &s.in.Items[talk.items[st.Message]]
		if slices.Contains(last, st.Message) || talk.isAsked(st.Text) {
			continue // printed elsewhere
		}
		if turns[it.Turn] == nil {
			turns[it.Turn] = d.add(b, &line{text: "Agent, turn " + strconv.Itoa(max(1, it.Turn)) + ":", class: classSaid,
				heading: true, pos: place(it.first(), 0)})
		}
		l := &line{text: barred("  " + strings.ReplaceAll(st.Text, "\n", "\n  ")), class: classSaid, parent: turns[it.Turn],
			pos: place(it.first(), st.Place+1)}
		turns[it.Turn].pos = min(turns[it.Turn].pos, place(it.first(), 0))
		key := [2]int{st.Message, st.Place}
		if st.Lead >= 0 && leads[[2]int{st.Message, st.Lead}] != nil {
			l.parent = leads[[2]int{st.Message, st.Lead}]
		}
		l.heading = st.Heading
		leads[key] = d.add(b, l)
	}
}

// enoughWords is how many bytes a message has at least that counts as the agent's last words.
const enoughWords = 200

// lastWords returns the messages of the agent that are printed in full: the last one, which says what it does next,
// and if that is only an announcement, the last one before it that says more.
func (t *dialogue) lastWords() []int {
	n := len(t.messages)
	for i := n - 1; i >= 0; i-- {
		if text := t.messages[i].Text; len(text) >= enoughWords && !statements.Announces(text) {
			if i < n-1 {
				return []int{i, n - 1}
			}
			break
		}
	}
	if n == 0 {
		return nil
	}
	return []int{n - 1}
}
