package report

import (
	"fmt"
	"time"

	"ctxledger.dev/internal/chars"
)

// Rows is how many entries a list of a Report has at most.
const Rows = 100

// Report is the figures of an audit. Its lists are sorted, the most expensive first but for days, and have at most
// Rows entries; what they leave out is in the totals.
type Report struct {
	From     time.Time `json:"from,omitzero"` // of the first entry
	To       time.Time `json:"to,omitzero"`   // of the last one
	Files    int       `json:"files"`
	Sessions int       `json:"sessions"`
	Places   int       `json:"places"` // directories in which they were started
	Prices   string    `json:"prices"` // the day that the list prices are of
	Total    Spent     `json:"total"`
	// Subagents is the part of Total that subagents spent.
	Subagents Spent        `json:"subagents"`
	Models    []Row        `json:"models"`
	Days      []Day        `json:"days"` // those with requests, in their order, the newest 366
	Projects  []Row        `json:"projects"`
	Dearest   []SessionRow `json:"dearest_sessions"`
	Filled    []Filled     `json:"filled"` // what filled the requests, by class
	Habits    []Habit      `json:"habits"` // that cost most, at most three
	Tools     []Tool       `json:"tools"`
	Read      []File       `json:"read_files"`
	// Reads sums up the reads of all files.
	Reads       File   `json:"reads"`
	Compactions []Loss `json:"compactions"` // the most files and names missed first
	Lost        Loss   `json:"lost"`        // all of them together
	Compacted   int    `json:"compacted"`   // how many there were
	// Replayed is what the product would have made of some of the sessions; nil: none was played.
	Replayed *Replayed `json:"replayed,omitempty"`
	Caveats  Caveats   `json:"caveats"`
}

// Resent says how often a token was sent, on average.
func (r Report) Resent() float64 {
	var c Carried
	for _, f := range r.Filled {
		c = c.plus(f.Carried)
	}
	return c.Times()
}

// Answers is what was paid for output.
func (r Report) Answers() float64 {
	rest := r.Total.Dollars - r.Total.Fees
	for _, f := range r.Filled {
		rest -= f.Dollars
	}
	return max(rest, 0)
}

// Row is what was spent on one of several.
type Row struct {
	Name string `json:"name"`
	Spent
}

// Day is what was spent on one day.
type Day struct {
	Day string `json:"day"` // 2006-01-02, or "" for requests without a time
	Spent
	Models map[string]float64 `json:"dollars_by_model"`
}

// Filled is what one class of pieces took.
type Filled struct {
	Class string `json:"class"`
	Carried
}

// SessionRow is one session with its subagents.
type SessionRow struct {
	ID          string    `json:"id"`
	Agent       string    `json:"agent"`
	Title       string    `json:"title"`
	Project     string    `json:"project"`
	Start       time.Time `json:"start"`
	End         time.Time `json:"end"`
	Compactions int       `json:"compactions"`
	Subagents   float64   `json:"subagents_dollars"`
	Filled      []Filled  `json:"filled"`
	Spent
}

// Caveats is what the figures cannot know.
type Caveats struct {
	Unpriced []string `json:"unpriced_models,omitempty"` // whose prices are not known
	// Gaps are what else providers reported that has no known price here, or cannot be read, and is not in the dollars.
	Gaps       []Gap      `json:"gaps,omitempty"`
	Unfinished Unfinished `json:"unfinished"`
	LongWrites int64      `json:"long_writes,omitempty"` // tokens cached for an hour, at twice the input price
}

// Gap is something that a provider reported and that has no known price: a condition under which models ask another price
// ("fast"), or a number ("server_tool_use.code_execution_requests"), which may also be a count that is none.
type Gap struct {
	Name     string `json:"name"`
	Requests int    `json:"requests"` // that have it
}

// Unfinished is about answers whose usage was written down when they began, so that their output is more
// than what is reported. It is in no other figure.
type Unfinished struct {
	Requests int     `json:"requests"`
	Tokens   float64 `json:"tokens"` // missing, estimated from the text of the answers
	Dollars  float64 `json:"dollars"`
}

// String says of how many answers how much is missing: "3 answers without their final usage: ≈$0.01 more,
// judging by their text".
func (u Unfinished) String() string {
	return fmt.Sprintf("%s without their final usage: %s more, judging by their text",
		chars.Plural(u.Requests, "answer"), Carried{Sent: u.Tokens, Dollars: u.Dollars}.Cost())
}

// plus returns the sum of both.
func (u Unfinished) plus(v Unfinished) Unfinished {
	return Unfinished{u.Requests + v.Requests, u.Tokens + v.Tokens, u.Dollars + v.Dollars}
}
