package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

// printGoing says what would be forgotten: how much of each kind, and the things that come first. text says that it is a
// text, not what a handle names.
func printGoing(a *action, w io.Writer, g ledger.Forgotten, text bool) {
	printForgotten(w, g, text)
	if len(g.Counts) == 0 || len(g.Items) == 0 {
		return
	}
	t := a.plainTable("KIND", "HANDLE", ">BYTES", "CONTENT")
	shown := g.Items[:min(len(g.Items), maxListed)]
	ofKind := map[string]int{}
	for _, i := range shown {
		ofKind[i.Kind]++
		size := "-"
		if i.Bytes > 0 {
			size = chars.Size(i.Bytes)
		}
		t.Add(i.Kind, i.Handle, size, i.Title)
	}
	t.Print(w)
	more := 0
	for _, c := range g.Counts {
		more += c.N - ofKind[c.Kind]
	}
	andMore(w, more)
}

// printForgotten says what was forgotten, or would be. text says that it was a text, not what a handle names.
func printForgotten(w io.Writer, f ledger.Forgotten, text bool) {
	verb := "forgot"
	if f.DryRun {
		verb = "would forget"
	}
	if len(f.Counts) == 0 {
		why := "the ledger does not hold it"
		if !text {
			why = "it was forgotten before" // else its handle were not known
		}
		fmt.Fprintf(w, "%s nothing: %s\n", verb, why)
		return
	}
	var parts []string
	for _, c := range f.Counts {
		parts = append(parts, chars.Plural(c.N, c.Kind))
	}
	size := ""
	if f.Bytes > 0 {
		size = ", " + chars.Size(f.Bytes)
	}
	fmt.Fprintf(w, "%s %s%s\n", verb, strings.Join(parts, ", "), size)
	if n := len(f.Sessions); n > 0 {
		const most = 8
		more := ""
		if n > most {
			more = ", …"
		}
		fmt.Fprintf(w, "in %s: %s%s\n", chars.Plural(n, "session"), strings.Join(f.Sessions[:min(n, most)], ", "), more)
	}
}

func byReason(x, y ledger.LeftPlace) int { return strings.Compare(x.Why, y.Why) }

// printLeft says where what was forgotten can still be found.
func printLeft(w io.Writer, f ledger.Forgotten, r ledger.ForgetRequest) {
	switch {
	case r.Memory != "":
		fmt.Fprintln(w, "gone from the ledger and its freed pages; sessions that read it may quote it")
	case r.Text == "":
		fmt.Fprintln(w, "gone from the ledger and its freed pages; summaries and memories may quote it")
	default:
		left := "no copies remain"
		if n := len(f.Left); n > 0 {
			left = chars.Plural(n, "place") + " left"
		}
		fmt.Fprintf(w, "searched %s of the ledger: %s\n", chars.Plural(f.Searched, "file"), left)
		for _, l := range f.Left {
			fmt.Fprintf(w, "  %s: %s\n", columns.OneLine(l.Place), columns.OneLine(l.Why))
		}
		fmt.Fprintln(w, "freed pages: erased, nothing left for `ledger gc`")
	}
	printOutside(w, f)
}

// printOutside names the places that forgetting does not reach.
func printOutside(w io.Writer, f ledger.Forgotten) {
	said := ""
	for _, l := range slices.SortedStableFunc(slices.Values(f.Outside), byReason) {
		if l.Why != said {
			fmt.Fprintf(w, "not touched: %s\n", columns.OneLine(l.Why))
			said = l.Why
		}
		fmt.Fprintf(w, "  %s\n", columns.OneLine(l.Place))
	}
}
