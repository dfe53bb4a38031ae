package report

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
)

// Replayed is what the product's default policy would have made of some sessions that were played through it.
// It is replay, not solved tasks, and says nothing of the sessions that were not played.
type Replayed struct {
	Sessions int `json:"sessions"` // that were played
	Unlike   int `json:"unlike"`   // that were left out: their files hold far more than their agent sent
	Of       int `json:"of"`       // that there are to play
	// Reported is what the providers reported of the played conversations, and Part its share of everything.
	Reported Spent   `json:"reported"`
	Part     float64 `json:"part"`
	// Recorded is what the sessions cost as they were recorded, as the replay computes it, with the compactions
	// of their own host; Ours is what they would have cost.
	Recorded Play `json:"recorded"`
	Ours     Play `json:"ours"`
	// Saved is the share of the cost that Ours saves; less than 0 if it is dearer.
	Saved  float64   `json:"saved"`
	Dearer int       `json:"dearer"`    // of Sessions, those that would have become dearer
	Read   int       `json:"read_back"` // how often something that was cut would have been read back; in Ours
	Rows   []PlayRow `json:"rows"`      // the most expensive first
	// Unpriced are models whose prices are not known: where others have one, their sessions are not in the dollars and Saved.
	Unpriced []string `json:"unpriced_models,omitempty"`
}

// Play is what playing sessions through a policy cost.
type Play struct {
	Requests    int     `json:"requests"`
	Input       int64   `json:"input"`       // tokens of all requests
	Compactions int     `json:"compactions"` // that happened
	Dollars     float64 `json:"dollars"`     // of what has a price
	Priced      bool    `json:"priced"`      // some of it has
	// Units is the cost in the price of an uncached token of input: it compares where no price is known.
	Units float64 `json:"units"`
}

// PlayRow is one session that was played.
type PlayRow struct {
	ID       string  `json:"id"`
	Title    string  `json:"title"`
	Model    string  `json:"model"`
	Project  string  `json:"project"`
	Reported Spent   `json:"reported"`
	Recorded Play    `json:"recorded"`
	Ours     Play    `json:"ours"`
	Saved    float64 `json:"saved"`
}

// Add adds a session that was played; readBack says how often it would have read something back.
func (r *Replayed) Add(row PlayRow, readBack int) {
	row.Saved = saved(row.Recorded, row.Ours)
	if row.Saved < 0 {
		r.Dearer++
	}
	if !row.Recorded.Priced && !slices.Contains(r.Unpriced, row.Model) {
		r.Unpriced = append(r.Unpriced, row.Model)
	}
	r.Sessions++
	r.Reported = r.Reported.plus(row.Reported)
	r.Recorded, r.Ours = r.Recorded.plus(row.Recorded), r.Ours.plus(row.Ours)
	r.Saved = saved(r.Recorded, r.Ours)
	r.Read += readBack
	r.Rows = append(r.Rows, row)
}

// saved is the share of a cost that another one saves.
func saved(from, to Play) float64 {
	if from.Priced != to.Priced || from.worth() == 0 {
		return 0
	}
	return 1 - to.worth()/from.worth()
}

// worth is dollars, or where a price is not known, units.
func (p Play) worth() float64 {
	if p.Priced {
		return p.Dollars
	}
	return p.Units
}

// Cost prints what it cost.
func (p Play) Cost() string {
	if p.Priced {
		return chars.Money(p.Dollars, true)
	}
	return Magnitude(p.Units) + " tokens of uncached input"
}

// Reckoned says how what was reported of the sessions differs from what the replay computes for them as they were
// recorded; "": it does not, as far as it is printed and has a price.
func (r Replayed) Reckoned() string {
	reported := chars.Money(r.Reported.Dollars, true)
	if !r.Recorded.Priced || r.Reported.Dollars == 0 || reported == r.Recorded.Cost() {
		return ""
	}
	return "reported: " + reported + ", since a replay knows neither what the cache held, nor fees and advisors"
}

// Lacks names the models that are not in the dollars; "": all are.
func (r Replayed) Lacks() string {
	if !r.Recorded.Priced || len(r.Unpriced) == 0 {
		return ""
	}
	return "without " + chars.First(strings.Join(r.Unpriced, ", "), 60) + ", whose price is not known"
}

// Left says of how many sessions nothing is said because of Unlike; "": of none.
func (r Replayed) Left() string {
	if r.Unlike == 0 {
		return ""
	}
	return chars.Plural(r.Unlike, "session") + " left out, whose files hold far more than the agent sent"
}

// Saving prints a share by which a cost is smaller, or larger.
func Saving(share float64) string {
	if share < 0 {
		return fmt.Sprintf("%.0f%% more", -share*100)
	}
	return fmt.Sprintf("%.0f%% less", share*100)
}

// plus returns the sum of both.
func (p Play) plus(q Play) Play {
	return Play{
		p.Requests + q.Requests, p.Input + q.Input, p.Compactions + q.Compactions,
		p.Dollars + q.Dollars, p.Priced || q.Priced, p.Units + q.Units,
	}
}
