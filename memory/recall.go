package memory

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/internal/words"
	"ctxledger.dev/kv"
	"ctxledger.dev/search"
)

// What an entry's type adds to its score: a correction by the user matters most.
var typeBonus = map[string]uint8{
	"feedback": 4, "project": 3, "fact": 3, "user": 2, "preference": 2, "reference": 1,
}

// inTitle is how often the words of a name and a description count.
const inTitle = 2

// ofWord is what a word of the query adds at most, so that words and types have the weight that they always had: a search
// scores halves of a word as a type does.
const ofWord = 2

// Recall returns the memories of a scope that fit a query best, best first, at most limit (0: all),
// each with its Score. A memory that contains no word of the query is left out; without a query all
// are ranked by their type. Words match by their stems, in every case and Unicode form. Errors: corrupt.
func Recall(tx kv.Tx, scope Scope, query string, limit int) ([]Entry, error) {
	if strings.TrimSpace(query) == "" {
		all, _, err := List(tx, scope, "", 0)
		return Rank(all, "", limit), err
	}
	found, _, err := Find(tx, scope, query, cmp.Or(limit, search.All))
	for i := range found {
		found[i].Score = ofWord*found[i].Score + float64(found[i].bonus())
	}
	return first(found, limit), err
}

// Find returns the memories of a scope that fit a query best by words and type, at most limit, each with what its words
// alone score, and how many have any of its words. Errors: corrupt.
func Find(tx kv.Tx, scope Scope, query string, limit int) (found []Entry, total int, err error) {
	hits, total, err := index.Find(tx, query, limit)
	if err != nil {
		return nil, 0, err
	}
	for _, h := range hits {
		var e Entry
		v, err := tx.Get(bucketEntries, keyOf(h.Name))
		if err == nil {
			e, err = decode(v)
		}
		if err != nil {
			return nil, 0, err
		}
		if e.Scope == scope { // a ledger has one
			e.Score = h.Score - float64(e.bonus())/ofWord
			found = append(found, e)
		}
	}
	return found, total, nil
}

// Rank is Recall on entries at hand, of any scopes.
func Rank(entries []Entry, query string, limit int) []Entry {
	by, texts := search.NewRanking(query), make([]search.Bag, len(entries))
	for i, e := range entries {
		texts[i] = e.words(by.Bag())
		by.Add(texts[i])
	}
	found, score := make([]Entry, 0, len(entries)), by.Score()
	for i, e := range entries {
		if texts[i].Fits() || strings.TrimSpace(query) == "" {
			e.Score = ofWord*score(texts[i]) + float64(e.bonus())
			found = append(found, e)
		}
	}
	return first(found, limit)
}

// bonus is what the type of an entry adds to its score.
func (e Entry) bonus() uint8 { return typeBonus[words.Key(e.Type)] }

// first returns the best of scored entries, best first, at most limit (0: all).
func first(found []Entry, limit int) []Entry {
	slices.SortFunc(found, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(words.Key(a.Name), words.Key(b.Name)),
			cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.GUID, b.GUID))
	})
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	return found
}

// Ordered returns all entries: those that fit a task best first, as Rank orders them, and then the others by their type.
func Ordered(entries []Entry, task string) []Entry {
	all := Rank(entries, "", 0)
	if strings.TrimSpace(task) == "" {
		return all
	}
	out := Rank(entries, task, 0)
	fits := make(map[string]bool, len(out))
	for _, e := range out {
		fits[e.GUID] = true
	}
	return append(out, slices.DeleteFunc(all, func(e Entry) bool { return fits[e.GUID] })...)
}
