package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/search"
	"ctxledger.dev/sessions"
)

const (
	usualFound = 10
	mostFound  = 50
	maxExcerpt = 300 // characters
	// spare is how many times as many texts as are asked for are looked at: some say the same.
	spare = 3
	// mostCatchUp is how long a search adds what was recorded and is not indexed yet.
	mostCatchUp = time.Second
)

// candidate is what an index finds, before its text is read.
type candidate struct {
	ledger.Found
	entry    sessions.Stored
	artifact artifacts.Artifact
	body     string // of a memory
}

// Search implements ledger.SessionReader.
func (l *Ledger) Search(ctx context.Context, r ledger.SearchRequest) (ledger.SearchResponse, error) {
	resp := ledger.SearchResponse{Found: []ledger.Found{}}
	by := search.NewRanking(r.Query)
	err := CheckTexts("engine.search", Text("query", r.Query, MaxQuery))
	if err == nil && by.Words() == 0 {
		err = fault.New(fault.Invalid, "engine.search", "the query %q contains no word", r.Query)
	}
	if err != nil {
		return resp, err
	}
	if resp.Unread, err = l.catchUp(ctx); err != nil {
		return resp, err
	}
	limit := min(cmp.Or(max(r.Limit, 0), usualFound), mostFound)
	all, err := View(ctx, l, func(tx kv.Tx) (all []candidate, err error) {
		all, resp.Total, err = l.candidates(tx, r.Query, spare*limit)
		return all, err
	})
	listed := map[[2]string]int{} // by kind and excerpt
	for _, c := range all {
		if len(resp.Found) == limit || err != nil {
			break
		}
		var found bool
		if found, err = l.excerpt(ctx, &c, r.Query, by); !found {
			continue
		}
		says := [2]string{c.Kind, c.Text}
		if at, again := listed[says]; again {
			resp.Found[at].Same++
			continue
		}
		listed[says] = len(resp.Found)
		resp.Found = append(resp.Found, c.Found)
	}
	return resp, err
}

// catchUp adds what was recorded to the indexes, for a while, and reports whether there is more.
func (l *Ledger) catchUp(ctx context.Context) (more bool, err error) {
	for until := l.Now().Add(mostCatchUp); ; {
		if more, err = l.IndexWords(ctx); err != nil || !more || l.Now().After(until) {
			return more, err
		}
	}
}

// candidates returns what fits a query best, best first, what has all its words before what lacks one, and how many texts have
// any of them.
func (l *Ledger) candidates(tx kv.Tx, query string, limit int) (all []candidate, total int, err error) {
	type finder func(kv.Tx, string, int) ([]candidate, int, error)
	for _, kind := range []finder{messagesFound, artifactsFound, l.memoriesFound} {
		found, n, err := kind(tx, query, limit)
		if err != nil {
			return nil, 0, err
		}
		all, total = append(all, found...), total+n
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(search.WholeFirst(a.Whole, b.Whole), cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time))
	})
	return all, total, nil
}

func messagesFound(tx kv.Tx, query string, limit int) (all []candidate, total int, err error) {
	found, total, err := sessions.FindWords(tx, query, limit)
	for _, f := range found {
		e, err := sessions.GetEntry(tx, f.Session, f.Seq)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, candidate{entry: e, Found: ledger.Found{Kind: ledger.FoundMessage, ID: e.Handle(),
			Session: f.Session, Seq: f.Seq, Turn: e.Turn, Role: string(e.Role), Time: e.Time, Score: f.Score,
			Whole: f.Whole}})
	}
	return all, total, err
}

func artifactsFound(tx kv.Tx, query string, limit int) (all []candidate, total int, err error) {
	found, total, err := artifacts.Find(tx, query, limit)
	for _, f := range found {
		a, err := artifacts.Get(tx, f.Name)
		if err != nil {
			return nil, 0, err
		}
		c := candidate{artifact: a, Found: ledger.Found{Kind: ledger.FoundArtifact, ID: a.ID, Title: a.Describe(),
			Time: a.Created, Score: f.Score, Whole: f.Whole}}
		if n := len(a.Refs); n > 0 {
			e, err := sessions.GetEntry(tx, a.Refs[n-1].Session, a.Refs[n-1].Seq)
			if err != nil && !fault.Is(err, fault.NotFound) {
				return nil, 0, err
			}
			c.Session, c.Seq, c.Turn = a.Refs[n-1].Session, a.Refs[n-1].Seq, e.Turn
		}
		all = append(all, c)
	}
	return all, total, err
}

func (l *Ledger) memoriesFound(tx kv.Tx, query string, limit int) (all []candidate, total int, err error) {
	by := search.NewRanking(query)
	found, total, err := memory.Find(tx, l.Scope, query, limit)
	for _, e := range found {
		whole := by.Holds(e.Name+"\n"+e.Description+"\n"+e.Body) == by.Words()
		all = append(all, candidate{body: e.Body, Found: ledger.Found{Kind: ledger.FoundMemory, ID: e.Name,
			Title: e.Description, Time: e.Updated, Score: e.Score, Whole: whole}})
	}
	return all, total, err
}

// excerpt sets the text of a candidate, and reports whether it has any word of the query: two words may share a hash, and
// what was forgotten in the meantime has none.
func (l *Ledger) excerpt(ctx context.Context, c *candidate, query string, by *search.Ranking) (found bool, err error) {
	var text string
	switch c.Kind {
	case ledger.FoundMessage:
		text, err = l.textOf(ctx, c.entry)
	case ledger.FoundArtifact:
		text, err = l.passageOf(ctx, c, query)
	default:
		text = c.ID + "\n" + c.Title + "\n" + c.body
	}
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	best := 0
	for line := range strings.SplitSeq(l.Masks.String(text), "\n") {
		if n := by.Holds(line); n > best {
			best, c.Text = n, chars.Short(chars.Line(line), maxExcerpt)
		}
	}
	return best > 0, err
}

// passageOf returns the best passage of an artifact, and its title, which is searched, too.
func (l *Ledger) passageOf(ctx context.Context, c *candidate, query string) (string, error) {
	b, err := l.openBlob(ctx, c.artifact.Hash)
	if err != nil {
		return "", err
	}
	defer b.Close() // opened for reading
	one := func(yield func(artifacts.Artifact, artifacts.Content) bool) { yield(c.artifact, patient{ctx, b}) }
	found, err := artifacts.Search(one, query, 1)
	if err != nil || len(found) == 0 {
		return c.artifact.Title, err
	}
	c.Lines = found[0].Lines
	return found[0].Text + "\n" + c.artifact.Title, nil
}
