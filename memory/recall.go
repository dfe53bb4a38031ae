package memory

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	"ctxledger.dev/internal/words"
	"ctxledger.dev/kv"
	"ctxledger.dev/search"
)

// What an entry's type adds to its score: a correction by the user matters most.
var typeBonus = map[string]float64{
	"feedback": 4, "project": 3, "fact": 3, "user": 2, "preference": 2, "reference": 1,
}

// titleTimes is how often the words of a name and a description count.
const titleTimes = 2

// Bounds of a Cache, in bytes.
const (
	maxCached = 8 << 20
	costOf    = 3 // what a byte of a record takes at most, decoded
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
	raw []byte // its record
}

// Drop empties the cache, also of what recalls in progress have read.
func (c *Cache) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept, c.dropped = nil, c.dropped+1
}

// Recall returns the memories of a scope that fit a query best, best first, at most limit (0: all),
// each with its Score. A memory that contains no word of the query is left out; without a query all
// are ranked by their type. Words match by their stems, in every case and Unicode form. Errors: corrupt.
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
			r = &recalled{e, rec.Value}
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
		all[i] = &recalled{Entry: e}
	}
	return rank(all, query, limit)
}

func rank(all []*recalled, query string, limit int) []Entry {
	by, texts := search.NewRanking(query), make([]search.Text, len(all))
	for i, r := range all {
		texts[i] = by.Add(search.Part{Text: r.Name + "\n" + r.Description, Times: titleTimes}, search.Part{Text: r.Body, Times: 1})
	}
	ranked := make([]Entry, 0, len(all))
	for i, r := range all {
		if !texts[i].Fits() && strings.TrimSpace(query) != "" {
			continue
		}
		e := r.Entry
		e.Score = by.Score(texts[i]) + typeBonus[words.Key(e.Type)]
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
