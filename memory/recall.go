package memory

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/internal/words"
	"ctxledger.dev/kv"
)

// maxTerms is how many distinct words of a query count.
const maxTerms = 64

// What an entry's type adds to its score: a correction by the user matters most.
var typeBonus = map[string]float64{
	"feedback": 4, "project": 3, "fact": 3, "user": 2, "preference": 2, "reference": 1,
}

// What a word of the query adds: once, for the better place.
const (
	inTitle = 2 // name or description
	inBody  = 1
)

// Recall returns the memories of a scope that fit a query best, best first, at most limit (0: all),
// each with its Score. A memory that contains no word of the query is left out; without a query all
// are ranked by their type. Words of the query match inside words of the memory, in every case and Unicode
// form (words.Key). Errors: corrupt.
func Recall(tx kv.Tx, scope Scope, query string, limit int) ([]Entry, error) {
	all, _, err := List(tx, scope, "", 0)
	if err != nil {
		return nil, err
	}
	return Rank(all, query, limit), nil
}

// Rank is Recall on entries at hand, of any scopes.
func Rank(entries []Entry, query string, limit int) []Entry {
	terms := queryTerms(query)
	ranked := make([]Entry, 0, len(entries))
	for _, e := range entries {
		score := fit(e, terms)
		if score == 0 && strings.TrimSpace(query) != "" {
			continue
		}
		e.Score = score + typeBonus[words.Key(e.Type)]
		ranked = append(ranked, e)
	}
	slices.SortFunc(ranked, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(words.Key(a.Name), words.Key(b.Name)),
			cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.GUID, b.GUID))
	})
	if limit > 0 && len(ranked) > limit {
		ranked = ranked[:limit]
	}
	return ranked
}

// Ordered returns all entries: those that fit a task best first, as Rank orders them, and then the others by their type.
func Ordered(entries []Entry, task string) []Entry {
	if strings.TrimSpace(task) == "" {
		return Rank(entries, "", 0)
	}
	out := Rank(entries, task, 0)
	fits := make(map[string]bool, len(out))
	for _, e := range out {
		fits[e.GUID] = true
	}
	for _, e := range Rank(entries, "", 0) {
		if !fits[e.GUID] {
			out = append(out, e)
		}
	}
	return out
}

// common are words that say nothing about what is looked for.
var common = map[string]bool{
	"a": true, "about": true, "all": true, "an": true, "and": true, "any": true, "are": true, "as": true, "at": true,
	"be": true, "by": true, "can": true, "do": true, "does": true, "for": true, "from": true, "has": true, "have": true,
	"how": true, "i": true, "if": true, "in": true, "is": true, "it": true, "its": true, "me": true, "my": true,
	"no": true, "not": true, "of": true, "on": true, "or": true, "should": true, "that": true, "the": true,
	"there": true, "this": true, "to": true, "was": true, "we": true, "what": true, "when": true, "where": true,
	"which": true, "who": true, "why": true, "will": true, "with": true, "you": true, "your": true,
}

// queryTerms returns the informative words of a query, or all of them if it has none.
func queryTerms(query string) []string {
	terms := words.Terms(query, maxTerms)
	telling := slices.DeleteFunc(slices.Clone(terms), func(t string) bool { return common[t] })
	if len(telling) == 0 {
		return terms
	}
	return telling
}

// fit says how well an entry answers the words of a query; 0 is not at all.
func fit(e Entry, terms []string) (score float64) {
	if len(terms) == 0 {
		return 0
	}
	title, body := haystack{text: e.Name + "\n" + e.Description}, haystack{text: e.Body}
	for _, t := range terms {
		switch {
		case title.holds(t):
			score += inTitle
		case body.holds(t):
			score += inBody
		}
	}
	return score
}

// haystack is a text in which words are looked for.
type haystack struct {
	text, key string
	words     map[string]bool
}

// hasWord reports whether the text has a word. Splitting it is slow, and happens once.
func (h *haystack) hasWord(term string) bool {
	if h.words == nil {
		h.words = map[string]bool{}
		words.Each([]byte(h.text), func(w []byte) { h.words[string(w)] = true })
	}
	return h.words[term]
}

// holds reports whether the text has a word, or has it inside of one: "test" in "tests". Words of
// one or two letters would be inside of everything, and count only as a whole.
func (h *haystack) holds(term string) bool {
	const telling = 3 // bytes; a single ideograph has as many
	if h.key == "" {
		h.key = words.Key(h.text)
	}
	return len(term) >= telling && strings.Contains(h.key, term) || h.hasWord(term)
}
