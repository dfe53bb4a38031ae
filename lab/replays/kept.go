package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lab/carryover"
)

// benchCalls is how many tool calls have to follow a compaction for it to be measured: fewer say nothing.
const benchCalls = 10

// measured is one compaction of one session.
type measured struct {
	Session string `json:"session"`
	kept
}

// retained is what the command answers.
type retained struct {
	Sessions    int                          `json:"sessions"` // those with a compaction
	Restorable  int                          `json:"restorable"`
	Mean        map[string]carryover.Figures `json:"mean"`
	Compactions []measured                   `json:"compactions"`
}

// summaries are the texts that are compared, in the order of the table.
var summaries = []struct {
	key, label string
	of         func(k kept) text
}{
	{"ours", "ctxledger", func(k kept) text { return k.Ours }},
	{"half", "ctxledger, half the length", func(k kept) text { return k.Half }},
	{"host", "the session's own model", func(k kept) text { return k.Host }},
	{"words", "ranked word list", func(k kept) text { return k.Words }},
	{"tail", "the end, verbatim", func(k kept) text { return k.Tail }},
}

// kept measures what summaries keep of what was needed later. At every compaction in the sessions it builds ctxledger's
// summary of the same length in tokens, and compares it with the one that the session's own model wrote. need: identifiers
// of the next 200 tool calls that were known before. hard: those that nothing repeats before they are used. files: changed
// files. bind: changed files with what was done to them. cmds: tests and builds with their last outcome. user: words of the
// last ten requests. prec: the part of a summary's identifiers that is needed. dense: the part of a summary in lines with
// more than eight identifiers. lists: the part in lists of identifiers, wherever lines are broken; less is better. need and
// dense decide nothing: word lists meet them. A word list and the end of the conversation, of the same length, are the
// baselines.
func (b bench) kept(ctx context.Context, files []string) error {
	out := retained{Mean: map[string]carryover.Figures{}, Compactions: []measured{}}
	failed := b.each(ctx, files, func(ctx context.Context, s *replay.Session) error {
		kept, err := measure(ctx, b.env, s, benchCalls)
		if len(kept) > 0 {
			out.Sessions++
		}
		for _, k := range kept {
			out.Compactions = append(out.Compactions, measured{s.Name, k})
		}
		return err
	})
	if failed != nil && len(out.Compactions) == 0 {
		return failed
	}
	out.sum()
	return cmp.Or(b.answer(out, out.print), failed)
}

func (r *retained) sum() {
	for _, s := range summaries {
		var all []carryover.Figures
		for _, m := range r.Compactions {
			all = append(all, s.of(m.kept).Figures)
		}
		r.Mean[s.key] = carryover.Mean(all)
	}
	for _, m := range r.Compactions {
		if m.Restorable {
			r.Restorable++
		}
	}
}

func (r *retained) print(w io.Writer) {
	if len(r.Compactions) == 0 {
		fmt.Fprintf(w, "No compaction with %d tool calls behind it in these sessions.\n", benchCalls)
		return
	}
	t := columns.New(columns.Cut, false, "SUMMARY", ">NEED", ">HARD", ">FILES", ">BIND", ">CMDS", ">USER", ">PREC", ">DENSE",
		">LISTS")
	for _, s := range summaries {
		f := r.Mean[s.key]
		cells := []string{s.label}
		for _, v := range []carryover.Share{f.Need, f.Hard, f.Files, f.Bind, f.Commands, f.User, f.Precision, f.Dense,
			f.Lists} {
			cells = append(cells, percent(float64(v), v.Known()))
		}
		t.Add(cells...)
	}
	t.Print(w)
	fmt.Fprintf(w, "\nMeans of %s in %s; %d of them can be restored byte for byte.\n",
		chars.Plural(len(r.Compactions), "compaction"), chars.Plural(r.Sessions, "session"), r.Restorable)
	notTasks(w)
}
