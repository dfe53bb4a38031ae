package crashtest

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"text/tabwriter"

	"ctxledger.dev/internal/failpoint"
)

// Report says what a run did. It may be read when Run has returned.
type Report struct {
	Seed     uint64         `json:"seed"`
	Seconds  float64        `json:"seconds"`
	Kills    int            `json:"kills"`    // of owners that had acknowledged enough
	Starts   int            `json:"starts"`   // deaths of owners that were only starting, on top
	Acked    []int          `json:"acked"`    // operations that each owner acknowledged
	Violated bool           `json:"violated"` // whether something was lost, done twice, or refused
	Ops      map[string]int `json:"operations"`
	Hits     map[string]int `json:"hits"` // deaths by failpoint; every point has one

	mu sync.Mutex // held while a lane adds something
}

func newReport(seed uint64) *Report {
	r := &Report{Seed: seed, Ops: map[string]int{}, Hits: map[string]int{}}
	for _, p := range failpoint.Points() {
		r.Hits[p.Name] = 0
	}
	return r
}

// died counts a death at a failpoint.
func (r *Report) died(point string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Hits[point]++
	if phase := phaseOf(point); phase != failpoint.Work && phase != failpoint.Leave {
		r.Starts++
	}
}

// lived counts what an owner acknowledged before it was killed.
func (r *Report) lived(counts map[string]int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	total := 0
	for op, n := range counts {
		r.Ops[op] += n
		total += n
	}
	r.Acked = append(r.Acked, total)
	r.Kills++
}

// Short returns an error when a failpoint has killed fewer owners than wanted.
func (r *Report) Short(hits int) error {
	for _, p := range failpoint.Points() {
		if r.Hits[p.Name] < hits {
			return fmt.Errorf("owners died at %s %d times, not %d", p.Name, r.Hits[p.Name], hits)
		}
	}
	return nil
}

// Print writes the report as text.
func (r *Report) Print(w io.Writer) error {
	slices.Sort(r.Acked)
	total := 0
	for _, n := range r.Acked {
		total += n
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "seed\t%d\n", r.Seed)
	fmt.Fprintf(t, "kills\t%d, and %d of owners that were starting, in %.1f s\n", r.Kills, r.Starts, r.Seconds)
	if n := len(r.Acked); n > 0 {
		fmt.Fprintf(t, "acknowledged\t%d operations; per kill at least %d, median %d\n", total,
			r.Acked[0], r.Acked[n/2])
	}
	fmt.Fprintf(t, "lost\t%s\n", map[bool]string{false: "nothing", true: "see the error"}[r.Violated])
	for _, op := range slices.Sorted(maps.Keys(r.Ops)) {
		fmt.Fprintf(t, "  %s\t%d\n", op, r.Ops[op])
	}
	fmt.Fprintf(t, "deaths at failpoints\t\n")
	for _, p := range failpoint.Points() {
		fmt.Fprintf(t, "  %s\t%d\n", p.Name, r.Hits[p.Name])
	}
	return t.Flush()
}
