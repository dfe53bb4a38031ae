package compaction

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/statements"
)

// rankedBytes is how many bytes of statements are ranked for each token of the budget: more than can be printed.
const rankedBytes = 8

// addStatements adds the agent's sentences, the most worthy first, each in its place below the user's words.
func (s *source) addStatements(d *layout.Document, b *layout.Block) {
	talk := s.talk
	var user []string
	for _, u := range talk.user {
		user = append(user, u.text)
	}
	last := talk.lastWords()
	for _, m := range last {
		talk.asked = append(talk.asked, strings.Join(strings.Fields(talk.messages[m].Text), " "))
	}
	turns := make(map[speaker]*layout.Line)
	leads := make(map[[2]int]*layout.Line)
	for _, st := range statements.Rank(talk.messages, append(user, s.focus...), rankedBytes*s.budget) {
		it := &s.in.Items[talk.said[st.Message].index]
		if slices.Contains(last, st.Message) || talk.isAsked(st.Text) {
			continue // printed elsewhere
		}
		who := speaker{it.Turn, talk.said[st.Message].by}
		if turns[who] == nil {
			turns[who] = d.Add(b, &layout.Line{Text: who.String(), Class: layout.ClassSaid, Heading: true,
				Pos: place(it.first(), 0)})
		}
		l := &layout.Line{
			Text:   barred("  " + strings.ReplaceAll(st.Text, "\n", "\n  ")),
			Class:  layout.ClassSaid,
			Parent: turns[who],
			Pos:    place(it.first(), st.Place+1),
		}
		turns[who].Pos = min(turns[who].Pos, place(it.first(), 0))
		key := [2]int{st.Message, st.Place}
		if st.Lead >= 0 && leads[[2]int{st.Message, st.Lead}] != nil {
			l.Parent = leads[[2]int{st.Message, st.Lead}]
		}
		l.Heading = st.Heading
		leads[key] = d.Add(b, l)
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
