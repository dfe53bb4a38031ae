package compaction

import (
	"fmt"
	"slices"
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
	for _, m := range last {
		talk.asked = append(talk.asked, strings.Join(strings.Fields(talk.messages[m].Text), " "))
	}
	turns := make(map[speaker]*line)
	leads := make(map[[2]int]*line)
	for _, st := range statements.Rank(talk.messages, append(user, s.focus...), rankedBytes*s.budget) {
		it := &s.in.Items[talk.said[st.Message].index]
		if slices.Contains(last, st.Message) || talk.isAsked(st.Text) {
			continue // printed elsewhere
		}
		who := speaker{it.Turn, talk.said[st.Message].by}
		if turns[who] == nil {
			turns[who] = d.add(b, &line{text: who.String(), class: classSaid, heading: true, pos: place(it.first(), 0)})
		}
		l := &line{text: barred("  " + strings.ReplaceAll(st.Text, "\n", "\n  ")), class: classSaid, parent: turns[who],
			pos: place(it.first(), st.Place+1)}
		turns[who].pos = min(turns[who].pos, place(it.first(), 0))
		key := [2]int{st.Message, st.Place}
		if st.Lead >= 0 && leads[[2]int{st.Message, st.Lead}] != nil {
			l.parent = leads[[2]int{st.Message, st.Lead}]
		}
		l.heading = st.Heading
		leads[key] = d.add(b, l)
	}
}

// speaker is who said something in a turn.
type speaker struct {
	turn int
	by   voice
}

// headings of what each voice said in a turn.
var headings = map[voice]string{
	agent: "Agent, turn %d:", delegate: "Reports to the agent, turn %d:", host: "Instructions loaded, turn %d:",
}

func (s speaker) String() string { return fmt.Sprintf(headings[s.by], max(1, s.turn)) }

// enoughWords is how many bytes a message has at least that counts as the agent's last words.
const enoughWords = 200

// lastWords returns the messages of the agent that are printed in full: the last one, which says what it does next,
// and if that is only an announcement, the last one before it that says more.
func (t *dialogue) lastWords() []int {
	n := len(t.messages)
	for n > 0 && t.said[n-1].by != agent {
		n--
	}
	for i := n - 1; i >= 0; i-- {
		if text := t.messages[i].Text; len(text) >= enoughWords && t.said[i].by == agent &&
			!statements.Announces(text) {
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
