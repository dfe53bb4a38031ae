package statements

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"strings"
)

// Message is one message of the agent.
type Message struct {
	Text string
	At   float64 // its place in the conversation, from 0 to 1
	// Closing is set if it is the last message of its turn: it answers.
	Closing bool
	// Acts is set if tool calls follow in the same answer: it may only announce them.
	Acts bool
}

// Statement is a part of a message, verbatim: a sentence, a list item, a row, a short code block.
type Statement struct {
	Message int // index of its message
	Place   int // in its message, ascending
	Text    string
	// Lead is the place of the statement of the same message that has to be read first: the sentence before, the
	// heading of a list. It is earlier in the order. -1: none.
	Lead int
	// Heading is set if it says nothing by itself: it is there for those that it leads.
	Heading bool
}

// candidate is a statement that may be chosen.
type candidate struct {
	Statement
	base    float64 // what does not depend on other statements
	names   []int   // identifiers and words, by number
	scale   float64 // by place and length
	closing bool    // its message ends a turn
	size    int
	value   float64 // when it was last computed
}

// ranker numbers names and knows how often each was said.
type ranker struct {
	numbers map[string]int
	weight  []float64 // by number: at first how many messages say it
	covered []bool
	taken   []int           // statements chosen, by message
	asked   map[string]bool // words of the user
}

// Rank orders the statements of the agent's messages by worth until they have about most bytes together. user are the
// user's words: what names the same things is worth more. It takes linear time but for sorting.
func Rank(messages []Message, user []string, most int) []Statement {
	r := &ranker{numbers: map[string]int{}, asked: map[string]bool{}}
	for _, u := range user {
		for _, w := range identifiersOf(u) {
			r.asked[w] = true
		}
	}
	return r.choose(r.candidates(messages), most)
}

// candidates returns the statements of all messages that say something.
func (r *ranker) candidates(messages []Message) [][]candidate {
	seen := map[string]bool{}
	said := make([][]candidate, len(messages))
	for m, msg := range messages {
		pieces := split(msg.Text)
		words := map[int]bool{}
		said[m] = make([]candidate, len(pieces))
		for i, p := range pieces {
			c := &said[m][i]
			c.Statement = Statement{Message: m, Place: i, Text: p.text, Lead: p.lead, Heading: p.kind == heading}
			r.weigh(c, p, msg, i == len(pieces)-1)
			for _, n := range c.names {
				words[n] = true
			}
			if seen[p.text] && p.kind != heading {
				c.base = math.Inf(-1)
			}
			seen[p.text] = true
		}
		for n := range words {
			r.weight[n]++
		}
	}
	for n, times := range r.weight {
		r.weight[n] = 1 / (1 + 0.2*times)
	}
	r.covered = make([]bool, len(r.weight))
	r.taken = make([]int, len(messages))
	return said
}

// weigh computes what a statement is worth by itself.
func (r *ranker) weigh(c *candidate, p piece, m Message, last bool) {
	words := wordsOf(p.text)
	found := cuesOf(p.text, words)
	c.size = len(p.text) + 1
	c.scale = (0.35 + math.Pow(m.At, 1.5)) / math.Pow(float64(c.size)+30, 0.75)
	if p.kind == heading || len(p.text) < minPiece || len(p.text) > maxPiece || announces(p.text, words, found) {
		c.base = math.Inf(-1)
		return
	}
	for cue, yes := range found {
		if yes {
			c.base += worthOf[cue]
		}
	}
	for _, id := range identifiersOf(p.text) {
		n := r.number(id)
		if !slices.Contains(c.names, n) {
			c.names = append(c.names, n)
		}
		if r.asked[id] {
			c.base += 0.2
		}
	}
	if m.Closing {
		c.base += closing
		c.closing = true
	}
	if m.Acts && last && len(p.text) < maxAnnouncement && strings.HasSuffix(p.text, ":") &&
		!found[cause] && !found[rejection] && !found[finding] {
		c.base -= 1
	}
	if len(c.names) == 0 && len(p.text) < emptyWords {
		c.base *= 0.3 // "Good question."
	}
	if p.kind == code {
		c.scale *= 0.5
	}
}

func (r *ranker) number(name string) int {
	n, known := r.numbers[name]
	if !known {
		n = len(r.weight)
		r.numbers[name] = n
		r.weight = append(r.weight, 0)
	}
	return n
}

const (
	// closing is what the last message of a turn gains: it answers.
	closing = 2.5
	// crowd is how much each statement that was chosen of a message lowers the worth of the others, so that no
	// message that thinks aloud takes all; crowdClosing that of messages that end a turn.
	crowd        = 0.4
	crowdClosing = 0.05
	// emptyWords is the length in bytes below which a statement without a name says little.
	emptyWords = 40
)

// again is what a name is worth that a chosen statement says already.
const again = 0.15

func (r *ranker) value(c *candidate) float64 {
	v := c.base
	for _, n := range c.names {
		w := r.weight[n]
		if r.covered[n] {
			w *= again
		}
		v += w
	}
	more := crowd
	if c.closing {
		more = crowdClosing
	}
	return v * c.scale / (1 + more*float64(r.taken[c.Message]))
}

// queue is a heap of candidates by their value.
type queue []*candidate

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[j].value, q[i].value), cmp.Compare(q[i].Message, q[j].Message),
		cmp.Compare(q[i].Place, q[j].Place)) < 0
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*candidate)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// choose takes the statement of the highest value again and again. Values only fall, so one whose value is still the
// highest after it was computed anew is the next.
func (r *ranker) choose(said [][]candidate, most int) []Statement {
	q := queue{}
	for m := range said {
		for i := range said[m] {
			if c := &said[m][i]; !math.IsInf(c.base, -1) {
				c.value = r.value(c)
				q = append(q, c)
			}
		}
	}
	heap.Init(&q)
	taken := map[[2]int]bool{}
	var out []Statement
	for size := 0; len(q) > 0 && size < most; {
		c := q[0]
		if v := r.value(c); v < c.value {
			c.value = v
			heap.Fix(&q, 0)
			continue
		}
		heap.Pop(&q)
		for _, s := range r.withLeads(said[c.Message], c.Place) {
			key := [2]int{s.Message, s.Place}
			if taken[key] {
				continue
			}
			taken[key] = true
			r.taken[s.Message]++
			size += len(s.Text) + 1
			out = append(out, s)
			for _, n := range said[s.Message][s.Place].names {
				r.covered[n] = true
			}
		}
	}
	return out
}

// maxLeads is how many statements one brings along at most.
const maxLeads = 2

// withLeads returns a statement with those in front of it that it needs.
func (r *ranker) withLeads(said []candidate, place int) []Statement {
	out := []Statement{said[place].Statement}
	for lead := said[place].Lead; lead >= 0 && len(out) <= maxLeads; lead = said[lead].Lead {
		out = append(out, said[lead].Statement)
	}
	out[len(out)-1].Lead = -1
	slices.Reverse(out)
	return out
}
