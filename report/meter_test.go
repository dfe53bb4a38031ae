package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/tokens"
)

// asked is a request of one call, all of which is reported.
func asked(id, model string, u tokens.Used, words ...string) *Request {
	return &Request{ID: id, Model: model, Usage: u, Final: true,
		Bill: []Charge{{Model: model, Terms: tokens.TermsOf(u.In(), words...), Usage: u}}}
}

// entries makes a session of bytes: any order of prompts, answers, results, copies, rewinds and compactions,
// in two conversations, with any usage.
func entries(script []byte) []Entry {
	next := func() int {
		if len(script) == 0 {
			return 0
		}
		b := script[0]
		script = script[1:]
		return int(b)
	}
	var all []Entry
	answers := map[string]*Request{}
	for n := 0; len(script) > 0 && n < 200; n++ {
		e := Entry{ID: fmt.Sprint(n % 50), Time: time.Unix(int64(next())*10_000, 0),
			Thread: []string{"", "", "sub"}[next()%3]}
		piece := Piece{Class: Class(next() % int(classes)), Tokens: next() * 10, Call: fmt.Sprint(next() % 8),
			Text: fmt.Sprint(next() % 3)}
		piece.Names = []string{fmt.Sprint("name", next()%9)}
		switch next() % 5 {
		case 0:
			e.Prompt, e.Parent = true, fmt.Sprint(next()%50)
		case 1, 2:
			piece.Class = Assistant
			if next()%2 == 0 {
				piece.Action = &Action{Tool: fmt.Sprint("tool", next()%3), Read: []string{"", "/a", "b"}[next()%3],
					Command: []string{"", "make"}[next()%2]}
			}
			e.Request = &Request{
				ID:    []string{"", fmt.Sprint("r", next()%40)}[next()%2],
				Model: []string{"claude-opus-4-6", "gpt-4o", "unheard-of"}[next()%3],
				Usage: tokens.Used{Input: int64(next()), CacheRead: int64(next() * 99), CacheWrite: int64(next()),
					CacheWriteLong: int64(next()), Output: int64(next())},
				Final: next()%2 == 0, Copied: next()%4 == 0,
			}
			e.Request.Bill = []Charge{{Model: e.Request.Model, Usage: e.Request.Usage}}
			if next()%3 == 0 { // an advisor's
				took := tokens.Used{Input: int64(next()), Output: int64(next()), Searches: int64(next())}
				e.Request.Bill = append(e.Request.Bill, Charge{Model: "claude-opus-4-5", Usage: took})
			}
			if was := answers[e.Request.ID]; was != nil && e.Request.ID != "" { // a later part of it knows more
				later := *was
				later.Bill, later.Final = slices.Clone(was.Bill), e.Request.Final
				later.Bill[0].Usage.Output += int64(next())
				later.Bill = append(later.Bill, e.Request.Bill[1:]...)
				e.Request = &later
			}
			answers[e.Request.ID] = e.Request
		case 3:
			e.Compaction = &Compaction{Before: int64(next())}
		}
		e.Pieces = []Piece{piece, piece}[:next()%3]
		all = append(all, e)
	}
	return all
}

// FuzzMeter checks of any session that the parts add up to the whole, and that no figure is absurd.
func FuzzMeter(f *testing.F) {
	f.Add([]byte(strings.Repeat("a session of some kind, \x01\x02\x03\x00\x00\x01", 4)))
	f.Fuzz(func(t *testing.T, script []byte) {
		m := NewMeter(tokens.Builtin(), Session{ID: "s", Project: "/p", Compacts: true})
		for _, e := range entries(script) {
			m.Add(e)
		}
		all := m.End()
		r := Merge([]*Measured{all}, time.UTC)
		var sent, dollars, output float64
		for _, c := range r.Filled {
			sent, dollars = sent+c.Sent, dollars+c.Dollars
			if c.Tokens < -1e-6 || c.Sent < -1e-6 || c.Dollars < -1e-9 {
				t.Fatalf("%+v", c)
			}
		}
		for _, x := range r.Models {
			model, _ := tokens.Builtin().Lookup(x.Name)
			output += model.Rates(tokens.Terms{}).Cost(tokens.Used{Output: x.Usage.Output}).Dollars
		}
		if in := float64(r.Total.Usage.In()); !near(sent, in) {
			t.Fatalf("parts of %f tokens, requests of %f", sent, in)
		}
		if habits := all.Kept.Sent + all.Same.Sent + r.Lost.Reread.Sent; habits > r.Filled[Result].Sent+1e-3 {
			t.Fatalf("habits of %f tokens, results of %f", habits, r.Filled[Result].Sent)
		}
		if math.IsNaN(dollars) || r.Total.Requests < 0 || r.Lost.Missing > r.Lost.Used {
			t.Fatalf("%+v", r)
		}
		if !near(dollars+output+r.Total.Fees, r.Total.Dollars) {
			t.Fatalf("parts of $%f, answers of $%f and fees of $%f, in all $%f", dollars, output, r.Total.Fees,
				r.Total.Dollars)
		}
		days, models := 0.0, 0.0
		for _, d := range r.Days {
			days += d.Dollars
		}
		for _, x := range r.Models {
			models += x.Dollars
		}
		if whole := r.Total.Dollars; !near(days, whole) || !near(models, whole) || !near(r.Dearest[0].Dollars, whole) {
			t.Fatalf("days of $%f, models of $%f, a session of $%f, in all $%f", days, models,
				r.Dearest[0].Dollars, whole)
		}
	})
}

// TestPartsOfAnswersStandBetweenThoseOfOthers: as where two programs write one session. The last part of each counts, once,
// whatever comes between its parts.
func TestPartsOfAnswersStandBetweenThoseOfOthers(t *testing.T) {
	const model = "claude-sonnet-4-5"
	part := func(id string, in, out int64, final bool, words int) Entry {
		r := asked(id, model, tokens.Used{Input: in, Output: out})
		r.Final = final
		return Entry{Request: r, Pieces: []Piece{{Class: Reasoning}, {Class: Assistant, Tokens: words}}}
	}
	between := map[string][]Entry{
		"nothing":           nil,
		"the user":          {{ID: "p", Prompt: true, Pieces: []Piece{{Class: User, Tokens: 9}}}},
		"a rewind":          {{ID: "p", Prompt: true, Parent: "begin", Pieces: []Piece{{Class: User, Tokens: 9}}}},
		"a compaction":      {{Compaction: &Compaction{}}},
		"another's answers": {part("C", 1, 0, true, 0), part("D", 1, 0, true, 0)},
	}
	for name, other := range between {
		m := NewMeter(tokens.Builtin(), Session{ID: "s"})
		all := []Entry{{ID: "begin", Prompt: true, Pieces: []Piece{{Class: User, Tokens: 50}}}, {ID: "one",
			Pieces: []Piece{{Class: Host, Tokens: 5}}}, part("A", 100, 2, false, 1)}
		all = append(append(all, other...), part("B", 200, 3, false, 1))
		all = append(append(all, other...), part("A", 100, 600, true, 10), part("B", 200, 700, true, 10),
			part("A", 100, 600, true, 0)) // which repeats it
		for _, e := range all {
			m.Add(e)
		}
		r := Merge([]*Measured{m.End()}, time.UTC)
		want, requests := tokens.Used{Input: 300, Output: 1300}, 2
		if strings.HasPrefix(name, "another") {
			want.Input, requests = 302, 4
		}
		if r.Total.Usage != want || r.Total.Requests != requests || r.Caveats.Unfinished != (Unfinished{}) {
			t.Errorf("%s: %d requests of %+v, %+v", name, r.Total.Requests, r.Total.Usage, r.Caveats.Unfinished)
		}
		sent := 0.0
		for _, c := range r.Filled {
			sent += c.Sent
		}
		if !near(sent, float64(want.Input)) {
			t.Errorf("%s: what filled the requests are %v tokens of %d", name, sent, want.Input)
		}
	}
}

// TestWhatIsThoughtOfAnAnswerInPartsIsInTheWindow: once, whenever it becomes known.
func TestWhatIsThoughtOfAnAnswerInPartsIsInTheWindow(t *testing.T) {
	m := NewMeter(tokens.Builtin(), Session{ID: "s"})
	for _, c := range []struct {
		id    string
		out   int64
		class Class
		words int
	}{
		{"A", 50, Reasoning, 0}, {"B", 5, Assistant, 5}, {"A", 110, Assistant, 10}, {"A", 110, Assistant, 0},
		{"C", 1, Assistant, 1},
	} {
		m.Add(Entry{Request: asked(c.id, "gpt-4o", tokens.Used{Input: 1000, Output: c.out}),
			Pieces: []Piece{{Class: c.class, Tokens: c.words}}})
	}
	r := Merge([]*Measured{m.End()}, time.UTC)
	if got := r.Filled[Reasoning]; math.Round(got.Tokens) != 100 {
		t.Errorf("%+v", got)
	}
}

// TestAnAnswerIsOneRequest: of each model that had a part in it, whatever calls it took.
func TestAnAnswerIsOneRequest(t *testing.T) {
	m := NewMeter(tokens.Builtin(), Session{ID: "s"})
	r := asked("a", "claude-sonnet-4-5", tokens.Used{Input: 5})
	advisor := Charge{Model: "claude-opus-4-5", Usage: tokens.Used{Input: 9}}
	r.Bill = append(r.Bill, advisor, r.Bill[0], advisor)
	m.Add(Entry{Request: r})
	found := Merge([]*Measured{m.End()}, time.UTC)
	if found.Total.Requests != 1 || found.Days[0].Requests != 1 || found.Total.Usage.Input != 28 ||
		len(found.Models) != 2 || found.Models[0].Requests != 1 || found.Models[1].Requests != 1 {
		t.Errorf("%+v of %+v", found.Total, found.Models)
	}
}

// TestManyAnswersAreUnderWay: those that began first are counted as they are known then, once.
func TestManyAnswersAreUnderWay(t *testing.T) {
	m := NewMeter(tokens.Builtin(), Session{ID: "s"})
	for range 2 {
		for i := range 3 * maxOpen {
			m.Add(Entry{Thread: []string{"", "sub"}[i%2],
				Request: asked(fmt.Sprint(i), "gpt-4o", tokens.Used{Input: 1})})
		}
	}
	if got := Merge([]*Measured{m.End()}, time.UTC).Total; got.Requests != 3*maxOpen || got.Usage.Input != 3*maxOpen {
		t.Errorf("%+v", got)
	}
}

// TestTheFixedPartStaysWhereAProviderCountsLess: it was taken for gone when a provider counted the conversation as fewer
// tokens than the estimate. Where a request is smaller than the one before it, it did go.
func TestTheFixedPartStaysWhereAProviderCountsLess(t *testing.T) {
	const model, fixed, requests = "claude-sonnet-4-5", 18_000, 10
	usual := float64(tokens.Builtin().For(model).Of(1_000_000).N) / 1_000_000
	for _, c := range []struct {
		name string
		rate float64 // the provider's tokens of an estimated one
		gone int64   // of the fixed part from the fourth request on
		want float64
	}{
		{"as estimated", 1, 0, requests * fixed},
		{"less", 0.5, 0, requests * fixed},
		{"tools went", 1, 12_000, 3*fixed + (requests-3)*6_000},
	} {
		m := NewMeter(tokens.Builtin(), Session{ID: "s"})
		words := 0
		for i := range requests {
			grown := map[bool]int{true: 9_000, false: 20}[i == 1]
			words += grown
			total := fixed + int64(c.rate*usual*float64(words))
			if i >= 3 {
				total -= c.gone
			}
			m.Add(Entry{Pieces: []Piece{{Class: Result, Tokens: grown}}, ID: fmt.Sprint("p", i)})
			m.Add(Entry{ID: fmt.Sprint("a", i), Request: asked(fmt.Sprint(i), model, tokens.Used{Input: total})})
		}
		if got := Merge([]*Measured{m.End()}, time.UTC).Filled[System].Sent; math.Abs(got-c.want) > c.want/50 {
			t.Errorf("%s: %.0f tokens of the fixed part, want %.0f", c.name, got, c.want)
		}
	}
}
