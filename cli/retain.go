package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ctxledger.dev/internal/ages"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func (a *app) retainCommand() *cobra.Command {
	var age, most string
	var r ledger.RetainRequest
	cmd := &cobra.Command{
		Use:   "retain [--older-than AGE] [--max-size SIZE] | retain --off",
		Short: "Show, set or remove the policy by which old sessions expire",
		Long: "Without flags it shows the retention policy and the sessions that are due. Nothing expires without\n" +
			"a policy. --older-than expires sessions by the age of their newest entry; --max-size expires the\n" +
			"oldest sessions until records and contents fit. Setting either replaces the whole policy. The\n" +
			"daemon applies it at its start and once a day; --now applies it at once.\n\n" +
			"A session expires as a whole, with its summaries and the artifacts that no other session holds;\n" +
			"their handles then say so. Memories, artifacts that you put yourself, sessions of the last ten\n" +
			"minutes and the newest session never expire.",
		Example: "  ctxledger retain --older-than 90d --max-size 500MB\n" +
			"  ctxledger retain --now\n  ctxledger retain --off",
		Args: a.args(0, 0),
	}
	cmd.Flags().StringVar(&age, "older-than", "", "expire `AGE` after the newest entry: 90d, 12w, 36h")
	cmd.Flags().StringVar(&most, "max-size", "", "expire the oldest above `SIZE` on disk: 500MB, 2GB")
	cmd.Flags().BoolVar(&r.Off, "off", false, "remove the policy")
	cmd.Flags().BoolVar(&r.Apply, "now", false, "expire what is due at once")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if age != "" || most != "" {
			p, err := policy(age, most)
			if err != nil {
				return err
			}
			r.Set = &p
		}
		if r.Off && (r.Set != nil || r.Apply) {
			return misuse("--off goes with no other flag")
		}
		return shows(a, func(ctx context.Context, api ledger.API, _ []string) (ledger.Retention, error) {
			return api.Retain(ctx, r)
		}, a.printRetention)(cmd, args)
	}
	return cmd
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
	number, factor := strings.ToUpper(strings.ReplaceAll(s, " ", "")), 1.0
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

func (a *app) printRetention(w io.Writer, r ledger.Retention) {
	if r.Policy == nil {
		fmt.Fprintf(w, "no policy is set: nothing expires; the ledger takes %s\n", chars.Size(r.Size))
		return
	}
	var rules []string
	if d := r.Policy.OlderThan; d > 0 {
		rules = append(rules, "after "+span(d))
	}
	if n := r.Policy.MaxSize; n > 0 {
		rules = append(rules, "above "+chars.Size(n))
	}
	fmt.Fprintf(w, "sessions expire %s; the ledger takes %s\n", strings.Join(rules, ", and "), chars.Size(r.Size))
	switch {
	case r.DueTotal == 0:
		fmt.Fprintln(w, "nothing is due")
		return
	case r.Applied:
		fmt.Fprintf(w, "expired: %s\n", chars.Plural(r.DueTotal, "session"))
	default:
		fmt.Fprintf(w, "due: %s; the daemon expires them at its next start or within a day, --now at once\n",
			chars.Plural(r.DueTotal, "session"))
	}
	t := a.newTable("SESSION", "UPDATED", ">SIZE", "TITLE")
	for _, s := range r.Due {
		t.Add(s.ID, a.stamp(s.Updated), chars.Size(s.Log+s.Blobs.Disk), a.line(s.Title, 40))
	}
	t.Print(w)
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
