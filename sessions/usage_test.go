package sessions

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/tokens"
)

func TestABillAddsUpByModelAndTerms(t *testing.T) {
	var b Bill
	fast := tokens.Terms{Named: "fast"}
	for _, c := range []Charge{
		{Model: "a", Usage: Usage{Input: 1}}, {Model: "b", Usage: Usage{Input: 2}},
		{Model: "a", Usage: Usage{Output: 3}}, {Model: "a", Terms: fast, Usage: Usage{Searches: 4}},
	} {
		b.Add(c)
	}
	want := Bill{{Model: "a", Usage: Usage{Input: 1, Output: 3}}, {Model: "b", Usage: Usage{Input: 2}},
		{Model: "a", Terms: fast, Usage: Usage{Searches: 4}}}
	if d := cmp.Diff(want, b); d != "" {
		t.Error(d)
	}
	b.Remove(Charge{Model: "b", Usage: Usage{Input: 2}}, "a")
	b.Remove(Charge{Model: "c", Usage: Usage{Output: 1}}, "a") // nothing was charged to it
	if got := b.Sum(); got != (Usage{Input: 1, Output: 2, Searches: 4}) || b[1].Usage != (Usage{}) || b[0].Output != 2 {
		t.Errorf("%+v", b)
	}
}

// A file that names ever new models makes no session's record grow without a bound, and no tokens are lost.
func TestABillIsBounded(t *testing.T) {
	var b Bill
	for i := range 1000 {
		b.Add(Charge{Model: fmt.Sprint("model ", i), Usage: Usage{Input: 1}})
	}
	if len(b) > MaxBill || b.Sum().Input != 1000 || b.Cost(tokens.Builtin()).Dollars != nil {
		t.Errorf("%d charges, %+v", len(b), b.Sum())
	}
	want := "1,000 tokens of model 0, model 1, model 2 and 61 more without a known price"
	if got := b.Cost(tokens.Builtin()).Words(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What an answer is charged is known piece by piece: the pieces add up to the last that is known.
func TestWhatABillAdds(t *testing.T) {
	own := func(in, out int64) Charge { return Charge{Model: "a", Usage: Usage{Input: in, Output: out}} }
	other, less := Charge{Model: "b", Usage: Usage{Input: 9}}, Charge{Model: "b", Usage: Usage{Input: -9}}
	long := own(300, 5)
	long.Terms = tokens.TermsOf(300_000)
	for name, c := range map[string]struct{ was, now, want Bill }{
		"the first":              {nil, Bill{own(1, 2)}, Bill{own(1, 2)}},
		"the same again":         {Bill{own(1, 2)}, Bill{own(1, 2)}, nil},
		"more output":            {Bill{own(1, 2)}, Bill{own(1, 5)}, Bill{own(0, 3)}},
		"more calls":             {Bill{own(1, 2)}, Bill{own(1, 2), own(3, 4), other}, Bill{own(3, 4), other}},
		"another call than that": {Bill{other}, Bill{own(1, 2)}, Bill{less, own(1, 2)}},
		"under other terms":      {Bill{own(300, 1)}, Bill{long}, Bill{own(-300, -1), long}},
		"fewer calls":            {Bill{own(1, 2), other}, Bill{own(1, 2)}, Bill{less}},
	} {
		got := c.now.Since(c.was)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if sum := c.was.Sum().Add(got.Sum()); sum != c.now.Sum() {
			t.Errorf("%s: in all %+v, want %+v", name, sum, c.now.Sum())
		}
	}
}

// What only an earlier report of an answer's bill has stays: terms, the life of a cache, calls of other models.
func TestALaterReportOfABill(t *testing.T) {
	own := func(named string, u Usage) Charge {
		return Charge{Model: "own", Terms: tokens.Terms{Named: named}, Usage: u}
	}
	advisor := func(in int64) Charge { return Charge{Model: "advisor", Usage: Usage{Input: in}} }
	in, out := Usage{Input: 9}, Usage{Input: 9, Output: 7}
	for name, c := range map[string]struct{ was, now, want Bill }{
		"the first":   {nil, Bill{own("", in)}, Bill{own("", in)}},
		"nothing":     {Bill{own("us", in)}, nil, Bill{own("us", in)}},
		"more output": {Bill{own("", in)}, Bill{own("", out)}, Bill{own("", out)}},
		"terms come":  {Bill{own("", in)}, Bill{own("fast", out)}, Bill{own("fast", out)}},
		"terms go":    {Bill{own("fast", in)}, Bill{own("", out)}, Bill{own("fast", out)}},
		"other terms": {Bill{own("us", in)}, Bill{own("fast", out)}, Bill{own("fast us", out)}},
		"an advisor grows": {Bill{own("", in), advisor(1)}, Bill{own("", out), advisor(5)},
			Bill{own("", out), advisor(5)}},
		"an advisor goes": {Bill{own("", in), advisor(1)}, Bill{own("", out)}, Bill{own("", out), advisor(1)}},
		"a call before it": {Bill{own("", in), advisor(1)}, Bill{own("", in), own("", out), advisor(1)},
			Bill{own("", in), own("", out), advisor(1)}},
		"no more than the sums": {Bill{own("", in), own("", out), advisor(1)}, Bill{own("", out), advisor(1)},
			Bill{own("", out), advisor(1)}},
		"another model": {Bill{{Model: "other", Usage: in}}, Bill{own("", out)}, Bill{own("", out)}},
		"a cache for an hour comes": {Bill{own("", Usage{CacheWrite: 9})},
			Bill{own("", Usage{CacheWrite: 9, CacheLong: 9})},
			Bill{own("", Usage{CacheWrite: 9, CacheLong: 9})}},
		"a cache for an hour goes": {Bill{own("", Usage{CacheWrite: 9, CacheLong: 9})},
			Bill{own("", Usage{CacheWrite: 8})},
			Bill{own("", Usage{CacheWrite: 8, CacheLong: 8})}},
	} {
		if d := cmp.Diff(c.want, c.now.After(c.was)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	var many Bill
	for i := range 10 * MaxBill {
		many = Bill{own("", in), {Model: fmt.Sprint(i), Usage: in}}.After(many)
	}
	if len(many) > MaxBill {
		t.Errorf("%d charges", len(many))
	}
}

// A session is charged what its entries say, each at its model; what earlier versions recorded, at the newest model.
func TestASessionIsChargedForItsEntries(t *testing.T) {
	s := Session{Model: "claude-opus-4-5", Usage: Usage{Input: 1_000_000}} // recorded before there were bills
	advised := Bill{{Model: "claude-haiku-4-5", Usage: Usage{Output: 100_000}}, {Model: "claude-opus-4-5",
		Usage: Usage{Input: 100_000}}}
	for _, e := range []Entry{
		{Usage: &Usage{Output: 100_000}, Bill: advised},
		{Usage: &Usage{Input: 1_000_000}, Model: "claude-haiku-4-5"},
		{Usage: &Usage{Input: 1_000_000}, Copied: true},
		{},
	} {
		s.Charge(e.Billed())
	}
	if want := (Usage{Input: 2_100_000, Output: 100_000}); s.Usage != want || len(s.Bill) != 2 {
		t.Errorf("%+v, %+v", s.Usage, s.Bill)
	}
	dollars := s.Billed().Cost(tokens.Builtin()).Dollars
	if want := 5 + 0.5 + 0.5 + 1; dollars == nil || math.Abs(*dollars-want) > 1e-9 {
		t.Errorf("%v, want %v", dollars, want)
	}
	if got := (&Session{}).Billed().Cost(tokens.Builtin()); got != (Cost{}) {
		t.Errorf("a session without an answer cost %v", got)
	}
}

// What has no price stands beside what the rest costs, with its model, and does not hide that.
func TestWhatOfABillHasNoPrice(t *testing.T) {
	million := Usage{Input: 1_000_000}
	sonnet := Charge{Model: "claude-sonnet-4-5", Usage: million}
	of := func(model string, u Usage) Charge { return Charge{Model: model, Usage: u} }
	for name, c := range map[string]struct {
		bill Bill
		want string
	}{
		"nothing":         {Bill{of("foo", Usage{})}, ""},
		"all has one":     {Bill{sonnet, sonnet}, "$6.00 at list prices"},
		"nothing has one": {Bill{of("foo", Usage{Input: 1})}, "1 token of foo without a known price"},
		"a model has none": {Bill{of("foo", million), sonnet, of("foo", Usage{CacheRead: 5, CacheWrite: 6, Output: 7})},
			"$3.00 at list prices, and 1,000,018 tokens of foo without a known price"},
		"two models, a name with an escape": {Bill{of("", million), sonnet, of("b\x1b[31m\nar", million)},
			"$3.00 at list prices, and 2,000,000 tokens of (unnamed), b\\u001b[31m ar without a known price"},
		"searches have none": {Bill{of("claude-3-opus", Usage{Output: 1_000_000, Searches: 3})},
			"$75.00 at list prices, and 0 tokens (web searches: 3) of claude-3-opus without a known price"},
		"neither has one": {Bill{of("foo", Usage{Input: 2, Searches: 3})},
			"2 tokens (web searches: 3) of foo without a known price"},
	} {
		if got := c.bill.Cost(tokens.Builtin()).Words(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
