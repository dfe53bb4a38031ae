package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/ages"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/report"
	"ctxledger.dev/tokens"
)

// watchEvery is how often a watched view is read again: only files that have grown are.
const watchEvery = 5 * time.Second

// viewFlags say what of a view of an audit is printed, and how.
type viewFlags struct {
	since, until, zone string
	last               int
	csv, watch         bool
	flags              *pflag.FlagSet
}

func (v *viewFlags) add(f *pflag.FlagSet) {
	v.flags = f
	f.StringVar(&v.since, "since", "", "with VIEW: from `WHEN` on")
	f.StringVar(&v.until, "until", "", "with VIEW: until `WHEN`; a day is included")
	f.IntVar(&v.last, "last", 0, "with VIEW: the last `N` days, today included")
	f.StringVar(&v.zone, "zone", "", "with VIEW: days of a time `ZONE`, such as Europe/Berlin")
	f.BoolVar(&v.csv, "csv", false, "with VIEW: print comma-separated values")
	f.BoolVar(&v.watch, "watch", false, "with VIEW: show what changes, until interrupted")
}

// first returns the first of these flags that was given; "": none.
func (v *viewFlags) first() string {
	for _, name := range []string{"since", "until", "last", "zone", "csv", "watch"} {
		if v.flags.Changed(name) {
			return "--" + name
		}
	}
	return ""
}

// span returns the time that was asked for, in now's zone.
func (v *viewFlags) span(now time.Time) (in report.Span, err error) {
	for _, x := range []struct {
		flag, text string
		set        func(from, to time.Time)
	}{
		{"--since", v.since, func(from, _ time.Time) { in.From = from }},
		{"--until", v.until, func(_, to time.Time) { in.To = to }},
	} {
		if x.text == "" {
			continue
		}
		from, to, ok := ages.When(x.text, now)
		if !ok {
			return in, usageError{fmt.Errorf("%s: %.1000q is neither a day, a time nor an age", x.flag, x.text),
				"write 2026-11-23, 2026-11-23 14:00, 36h or 2w"}
		}
		x.set(from, to)
	}
	if v.flags.Changed("last") {
		if err := atLeast(1, v.last, "--last"); err != nil {
			return in, err
		}
		if v.since != "" {
			return in, misuse("--last and --since cannot be used together")
		}
		year, month, day := now.Date()
		in.From = time.Date(year, month, day-v.last+1, 0, 0, 0, 0, now.Location())
	}
	if !in.From.IsZero() && !in.To.IsZero() && !in.From.Before(in.To) {
		return in, misuse("--until is before --since")
	}
	return in, nil
}

// now returns the time in the zone that was asked for.
func (v *viewFlags) now(a *action) (time.Time, error) {
	if v.zone == "" {
		return a.Env.Now(), nil
	}
	zone, err := time.LoadLocation(v.zone)
	if err != nil {
		return time.Time{}, usageError{fmt.Errorf("--zone: unknown time zone %.100q", v.zone),
			"write a name of the IANA database, such as Europe/Berlin, or UTC"}
	}
	return a.Env.Now().In(zone), nil
}

// runView prints one view of what session files say.
func runView(ctx context.Context, a *action, by string, paths []string, f auditFlags) error {
	v := f.view
	switch {
	case f.page != "" || f.replay || f.all:
		return misuse("--html, --replay and --all cannot be used with a view")
	case v.csv && (a.json || v.watch) || v.watch && a.json:
		return misuse("--json, --csv and --watch cannot be used together")
	case v.watch && !terminal(a.Out):
		return misuse("--watch needs a terminal")
	}
	models, err := a.models()
	if err != nil {
		return err
	}
	ctx, stop := temporary.Interruptible(ctx)
	defer stop()
	if v.watch {
		return watchView(ctx, a, by, paths, v, models)
	}
	found, failed, err := viewOf(ctx, a, by, paths, v, models)
	if err != nil {
		return err
	}
	switch {
	case a.json:
		err = a.answerJSON(found)
	case len(found.Rows) == 0 && failed != nil:
	case v.csv:
		err = a.answer(nil, func(w io.Writer) { writeCSV(w, found) })
	default:
		err = a.answer(nil, func(w io.Writer) { a.page(w).View(found) })
	}
	return errors.Join(failed, err)
}

// viewOf reads session files and returns a view of them, masked, and what could not be read: see readAudit.
func viewOf(
	ctx context.Context, a *action, by string, paths []string, v viewFlags, models *tokens.Registry,
) (out report.View, failed, err error) {
	now, err := v.now(a)
	if err != nil {
		return out, nil, err
	}
	in, err := v.span(now) // computed on each refresh: midnight may have passed
	if err != nil {
		return out, nil, err
	}
	found, failed, err := readAudit(ctx, a, paths, models)
	if err != nil {
		return out, nil, err
	}
	out = found.View(by, in, now)
	out.Each(a.masks.String)
	out.CutTitles(maxTitle)
	return out, failed, nil
}

// watchView shows a view, and again when it has changed, until the user interrupts it.
func watchView(
	ctx context.Context, a *action, by string, paths []string, v viewFlags, models *tokens.Registry,
) error {
	shown := ""
	again := time.NewTicker(watchEvery)
	defer again.Stop()
	for {
		found, failed, err := viewOf(ctx, a, by, paths, v, models)
		if ctx.Err() != nil {
			return nil // the normal end of watching
		}
		if err != nil {
			return err
		}
		if len(found.Rows) == 0 && failed != nil {
			return failed
		}
		var b strings.Builder
		a.page(&b).View(found)
		if text := a.masks.String(b.String()); text != shown {
			shown = text
			if _, err := io.WriteString(a.Out, clearScreen+text); err != nil {
				return fault.Wrap(fault.Unavailable, "cli.audit", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
	}
}

// clearScreen puts the cursor into the upper left corner of an empty terminal.
const clearScreen = "\x1b[H\x1b[2J"

// csvHead are the columns of a view as comma-separated values.
var csvHead = []string{"start", "end", "requests", "input", "cache_read", "cache_write", "output", "dollars",
	"unpriced_tokens", "agent", "name", "title", "project", "models"}

// writeCSV writes a view as comma-separated values (RFC 4180): figures exactly, texts of sessions on one line, behind them.
func writeCSV(w io.Writer, v report.View) {
	out := csv.NewWriter(w)
	out.Write(csvHead) // into memory, as all of it
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Format(time.RFC3339)
	}
	for _, r := range v.Rows {
		var models []string
		for _, m := range r.Models {
			models = append(models, m.Name)
		}
		u := r.Usage
		out.Write([]string{at(r.Start), at(r.End), fmt.Sprint(r.Requests), fmt.Sprint(u.Input), fmt.Sprint(u.CacheRead),
			fmt.Sprint(u.CacheWrite + u.CacheWriteLong), fmt.Sprint(u.Output),
			fmt.Sprint(math.Round(r.Dollars*1e6) / 1e6), fmt.Sprint(r.Unpriced),
			inert(r.Agent), inert(r.Name), inert(r.Title), inert(r.Project), inert(strings.Join(models, " "))})
	}
	out.Flush()
}

// inert returns a text of a session as one line that no spreadsheet takes for a formula.
func inert(text string) string {
	text = chars.Line(text)
	if strings.IndexAny(text, "=+-@\t\r") == 0 {
		return "'" + text
	}
	return text
}
