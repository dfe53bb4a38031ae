package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/ages"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func retainCommand() command {
	var age, most string
	var r ledger.RetainRequest
	var c consentFlags
	return command{
		name: "ledger retain", short: "Show, set or remove the policy for expiring old sessions",
		long: "Without options it shows the retention policy and the sessions that are due to expire. Without " +
			"a policy nothing expires. --older-than expires sessions by the age of their newest entry; " +
			"--max-size expires the oldest sessions until the ledger fits. Setting either replaces the whole " +
			"policy. The daemon applies it when it starts and once a day; --now lists what is due, asks, and " +
			"applies it immediately. Without a terminal --now needs --yes. --dry-run lists what the given " +
			"options would expire, without setting anything.\n\nA session expires as a whole, with its summaries and " +
			"the artifacts that no other session holds; their handles then say so. Memories, artifacts that " +
			"you saved yourself, sessions active in the last ten minutes and the newest session never expire.",
		example: "ctxledger ledger retain --older-than 90d --max-size 500MB --dry-run\n" +
			"ctxledger ledger retain --older-than 90d --max-size 500MB\n" +
			"ctxledger ledger retain --now --yes\nctxledger ledger retain --off",
		was:  map[string]string{"retain": ""},
		does: asks, undo: "with --now; setting a policy only lists what is due, and --off undoes it",
		json: answers(ledger.Retention{}),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&age, "older-than", "", "expire `AGE` after the newest entry: 90d, 12w, 36h")
			f.StringVar(&most, "max-size", "", "keep at most `SIZE` on disk: 500MB, 2GB")
			f.BoolVar(&r.Off, "off", false, "remove the policy")
			f.BoolVar(&r.Apply, "now", false, "expire what is due now")
			c.define(f, forgetting())
		},
		check: func(*action, []string) error {
			if age != "" || most != "" {
				p, err := policy(age, most)
				if err != nil {
					return err
				}
				r.Set = &p
			}
			switch {
			case r.Off && (r.Set != nil || r.Apply || c != consentFlags{}):
				return misuse("--off takes no other option")
			case c.yes && !r.Apply:
				return misuse("--yes needs --now")
			}
			return c.check()
		},
		ask: func(ctx context.Context, a *action, _ []string) error {
			return applyRetention(ctx, a, r, c)
		},
	}
}

// applyRetention shows or sets the policy. Before sessions expire at once it lists them and asks.
func applyRetention(ctx context.Context, a *action, r ledger.RetainRequest, c consentFlags) error {
	if r.Apply || c.dry {
		plan, err := a.ledger.Retain(ctx, ledger.RetainRequest{Try: r.Set})
		if err != nil {
			return err
		}
		show := func(w io.Writer) { printExpiring(a, w, plan) }
		if c.dry {
			return a.answer(plan, show)
		}
		if plan.DueTotal > 0 {
			if err := a.consent(c, forgetting(), show); err != nil {
				return err
			}
		}
	}
	done, err := a.ledger.Retain(ctx, r)
	if err != nil {
		return err
	}
	return a.answer(done, func(w io.Writer) { printRetention(a, w, done) })
}

// printExpiring says what would expire now.
func printExpiring(a *action, w io.Writer, r ledger.Retention) {
	if !printPolicy(a, w, r) {
		return
	}
	size := int64(0)
	for _, s := range r.Due {
		size += s.Log + s.Blobs.Disk
	}
	fmt.Fprintf(w, "would expire %s, %s\n", chars.Plural(r.DueTotal, "session"), chars.Size(size))
	fillDue(a, a.plainTable(dueHead...), r.Due[:min(len(r.Due), maxListed)]).Print(w)
	andMore(w, r.DueTotal-maxListed)
}

// policy reads the flags of a policy.
func policy(age, most string) (p ledger.RetentionPolicy, err error) {
	if age != "" {
		if p.OlderThan, err = seconds(age); err != nil {
			return p, err
		}
	}
	if most != "" {
		p.MaxSize, err = sizeOf(most)
	}
	return p, err
}

// seconds reads an age.
func seconds(s string) (int64, error) {
	age, ok := ages.Parse(s)
	if !ok {
		return 0, misuse("--older-than takes an age such as 90d, 12w or 36h, not %q", s)
	}
	return int64(age / time.Second), nil
}

// sizeOf reads a size in the units in which sizes are printed.
func sizeOf(s string) (int64, error) {
	number, factor := strings.ToUpper(strings.ReplaceAll(s, " ", "")), 0.0 // 0 without a unit: 5 is not 5 bytes
	for _, u := range []struct {
		name string
		of   float64
	}{{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}} {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = n, u.of
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if bytes := n * factor; err == nil && bytes >= 1 && bytes < 1e18 {
		return int64(bytes), nil
	}
	return 0, misuse("--max-size takes a size such as 500MB or 2GB, not %q", s)
}

// printPolicy says what a policy is, and reports whether anything is due by it.
func printPolicy(a *action, w io.Writer, r ledger.Retention) bool {
	if r.Policy == nil {
		fmt.Fprintf(w, "no policy is set: nothing expires; the ledger takes up %s\n", chars.Size(r.Size))
		return false
	}
	var rules []string
	if d := r.Policy.OlderThan; d > 0 {
		rules = append(rules, "after "+span(d))
	}
	if n := r.Policy.MaxSize; n > 0 {
		rules = append(rules, "above "+chars.Size(n))
	}
	fmt.Fprintf(w, "sessions expire %s; the ledger takes up %s\n", strings.Join(rules, ", and "), chars.Size(r.Size))
	if r.DueTotal == 0 {
		fmt.Fprintln(w, "nothing is due")
	}
	return r.DueTotal > 0
}

func printRetention(a *action, w io.Writer, r ledger.Retention) {
	if !printPolicy(a, w, r) {
		return
	}
	if r.Applied {
		fmt.Fprintf(w, "expired: %s\n", chars.Plural(r.DueTotal, "session"))
	} else {
		fmt.Fprintf(w, "due: %s; the daemon expires them at its next start or within a day, --now at once, "+
			"and --off keeps them\n",
			chars.Plural(r.DueTotal, "session"))
	}
	fillDue(a, a.newTable(dueHead...), r.Due).Print(w)
}

// dueHead are the headings of a list of sessions that expire.
var dueHead = []string{"SESSION", "UPDATED", ">SIZE", "TITLE"}

// fillDue adds a row for each session, and returns the table.
func fillDue(a *action, t *columns.Table, due []ledger.SessionUsage) *columns.Table {
	for _, s := range due {
		t.Add(s.ID, a.stamp(s.Updated), chars.Size(s.Log+s.Blobs.Disk), a.line(s.Title, 40))
	}
	return t
}

// span prints an age.
func span(seconds int64) string {
	const day = 24 * 60 * 60
	switch {
	case seconds == day:
		return "1 day"
	case seconds%day == 0:
		return chars.Commas(seconds/day) + " days"
	}
	return (time.Duration(seconds) * time.Second).String()
}
