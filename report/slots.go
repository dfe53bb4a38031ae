package report

import (
	"math"
	"slices"
	"time"
)

// slot is how finely spending is kept by time. The days of every zone begin with one: zones differ by quarters of an hour.
const slot = 15 * time.Minute

// timeless is the slot of requests whose time is not known.
const timeless = math.MinInt64

// Slots are what was spent in each quarter of an hour that has requests, by its beginning in Unix time; timeless is one, too.
type Slots map[int64]*Slot

// Slot is what was spent in one of them. A model's requests are those that it had a part in.
type Slot struct {
	Spent
	Models map[string]*Spent
}

// add counts what an answer cost, call by call of a model.
func (s Slots) add(at time.Time, calls []Row) {
	key := int64(timeless)
	if !at.IsZero() {
		key = at.Truncate(slot).Unix()
	}
	in := s[key]
	if in == nil {
		in = &Slot{Models: map[string]*Spent{}}
		s[key] = in
	}
	for i, c := range calls {
		in.Spent = in.plus(c.Spent)
		if !slices.ContainsFunc(calls[:i], func(b Row) bool { return b.Name == c.Name }) {
			c.Requests = 1
		}
		count(in.Models, c.Name, c.Spent)
	}
}

// merge adds what another one has.
func (s *Slot) merge(t *Slot) {
	s.Spent = s.plus(t.Spent)
	for name, spent := range t.Models {
		count(s.Models, name, *spent)
	}
}

// dayOf returns the day on which a slot begins; "" for timeless.
func dayOf(key int64, zone *time.Location) string {
	if key == timeless {
		return ""
	}
	return time.Unix(key, 0).In(zone).Format(time.DateOnly)
}

// Span is a time. A zero From or To is open; where either is set, requests without a time are not in it.
type Span struct {
	From, To time.Time // To is not in it
}

// has reports whether a slot begins in the span.
func (s Span) has(key int64) bool {
	if key == timeless {
		return s == Span{}
	}
	return (s.From.IsZero() || key >= s.From.Unix()) && (s.To.IsZero() || key < s.To.Unix())
}
