package memory

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/rewrite"
)

// Rules returns how the records of this package lose a text. A memory whose name loses it gets another
// name; its earlier versions follow it by its GUID. One that says nothing without the text is deleted, at the given time.
func Rules(at time.Time) []rewrite.Rule {
	return []rewrite.Rule{
		{Kind: "memory", Bucket: bucketEntries, Out: func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
			return scrubEntry(tx, r, t, at)
		}},
		rewrite.Of("memory version", bucketHistory, scrubWords),
	}
}

func scrubEntry(tx kv.Tx, r kv.Record, t scrub.Text, at time.Time) (bool, error) {
	return rewrite.JSON(tx, bucketEntries, r, func(e *Entry) ([]byte, error) {
		old, key := *e, r.Key
		scrubWords(e, t)
		if e.Deleted == nil && e.saysNothing(t) && !old.saysNothing(t) {
			e.Deleted = &at
		}
		if e.Name != old.Name {
			name, err := freeName(tx, e.Scope, e.Name)
			if err != nil {
				return nil, err
			}
			e.Name, key = name, entryKey(e.Scope, name)
		}
		return key, reword(tx, r.Key, &old, key, e)
	})
}

func scrubWords(e *Entry, t scrub.Text) {
	rewrite.Words(t, &e.Name, &e.Description, &e.Type, &e.Source, &e.Body)
}

// saysNothing reports whether no word is left of an entry but its name.
func (e Entry) saysNothing(t scrub.Text) bool {
	return !strings.ContainsFunc(t.Unmarked(e.Description+"\n"+e.Body), func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r)
	})
}

// freeName returns a name that no memory has, close to the one wanted.
func freeName(tx kv.Tx, scope Scope, wanted string) (string, error) {
	name := cut(wanted, limits.MemoryName-1)
	for n := 2; ; n++ {
		_, _, taken, err := find(tx, scope, name)
		if err != nil || !taken {
			return name, err
		}
		suffix := fmt.Sprintf(" %d", n)
		name = cut(wanted, limits.MemoryName-1-len(suffix)) + suffix
	}
}
