package memory

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

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

// Bounds of a Cache, in bytes.
const (
	maxCached = 8 << 20
	costOf    = 10 // what a byte of a record takes at most, decoded and split into words
)

// Cache keeps memories that were recalled, ready to be ranked: the next recall compares each with its record, and decodes
// only what has changed. Its zero value is empty. It is safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	kept    map[string]*recalled // guarded by mu, which is for the map as a whole: it is replaced, not changed; by key
	dropped int                  // guarded by mu; how often it was
}

// recalled is a memory that can be ranked.
type recalled struct {
	Entry
	raw         []byte // its record
	title, body haystack
}

func rankable(e Entry) *recalled {
	return &recalled{Entry: e, title: haystack{text: e.Name + "\n" + e.Description}, body: haystack{text: e.Body}}
}

// Drop empties the cache, also of what recalls in progress have read.
func (c *Cache) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept, c.dropped = nil, c.dropped+1
}

// Recall returns the memories of a scope that fit a query best, best first, at most limit (0: all),
// each with its Score. A memory that contains no word of the query is left out; without a query all
// are ranked by their type. Words of the query match inside words of the memory, in every case and Unicode
// form (words.Key). Errors: corrupt.
func (c *Cache) Recall(tx kv.Tx, scope Scope, query string, limit int) ([]Entry, error) {
	c.mu.Lock()
	before, dropped := c.kept, c.dropped
	c.mu.Unlock()
	now, left := make(map[string]*recalled, len(before)), maxCached
	all := make([]*recalled, 0, len(before))
	for rec, err := range tx.Scan(bucketEntries, kv.Range{Prefix: entryKey(scope, "")}) {
		if err != nil {
			return nil, err
		}
		r := before[string(rec.Key)]
		if r == nil || !bytes.Equal(r.raw, rec.Value) {
			e, err := decode(rec.Value)
			if err != nil {
				return nil, err
			}
			r = rankable(e)
			r.raw = rec.Value
		}
		if left -= costOf * len(rec.Value); left >= 0 {
			now[string(rec.Key)] = r
		}
		if r.Deleted == nil {
			all = append(all, r)
		}
	}
	c.mu.Lock()
	if c.dropped == dropped {
		c.kept = now
	}
	c.mu.Unlock()
	return rank(all, query, limit), nil
}

// Rank is Recall on entries at hand, of any scopes.
func Rank(entries []Entry, query string, limit int) []Entry {
	all := make([]*recalled, len(entries))
	for i, e := range entries {
		all[i] = rankable(e)
	}
	return rank(all, query, limit)
}

func rank(all []*recalled, query string, limit int) []Entry {
	terms := queryTerms(query)
	ranked := make([]Entry, 0, len(all))
	for _, r := range all {
		score, e := r.fit(terms), r.Entry
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

// fit says how well a memory answers the words of a query; 0 is not at all.
func (r *recalled) fit(terms []string) (score float64) {
	for _, t := range terms {
		switch {
		case r.title.holds(t):
			score += inTitle
		case r.body.holds(t):
			score += inBody
		}
	}
	return score
}

// haystack is a text in which words are looked for, by several recalls at once. Splitting it is slow, and happens once.
type haystack struct {
	text         string
	keyed, split sync.Once
	key          string          // made by keyed
	words        map[string]bool // made by split
}

// hasWord reports whether the text has a word.
func (h *haystack) hasWord(term string) bool {
	h.split.Do(func() {
		h.words = map[string]bool{}
		words.Each([]byte(h.text), func(w []byte) { h.words[string(w)] = true })
	})
	return h.words[term]
}

// holds reports whether the text has a word, or has it inside of one: "test" in "tests". Words of
// one or two letters would be inside of everything, and count only as a whole.
func (h *haystack) holds(term string) bool {
	const telling = 3 // bytes; a single ideograph has as many
	h.keyed.Do(func() { h.key = words.Key(h.text) })
	return len(term) >= telling && strings.Contains(h.key, term) || h.hasWord(term)
}
