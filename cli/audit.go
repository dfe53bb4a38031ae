package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/audit"
	"ctxledger.dev/cli/auditpage"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/report"
)

func (a *app) auditCommand() *cobra.Command {
	var page string
	cmd := &cobra.Command{
		Use:   "audit [--html FILE] [PATH…]",
		Short: "Show what past sessions cost, what filled their requests, and what compactions lost",
		Long: "Reads session files of coding agents and shows what was spent: by model, day, project and session,\n" +
			"what filled the requests, the most expensive tools and files, and what compactions lost. Without a\n" +
			"path it reads where the agents keep their sessions. It only reads files, opens no ledger and\n" +
			"starts no daemon.\n\n" +
			"Tokens and requests are those that the providers reported, each counted once; dollars are list\n" +
			"prices. What filled a request is an estimate, marked ≈, that adds up to the reported tokens.\n" +
			"docs/audit.md explains each figure. For some seconds it replays the most expensive sessions\n" +
			"through ctxledger, in a temporary ledger, to estimate what it would have saved: replay, not\n" +
			"solved tasks. A file that cannot be read is reported, the rest is counted, and the exit status is\n" +
			"1.",
		Example: "  ctxledger audit\n  ctxledger audit --html audit.html ~/.claude/projects/-home-me-app",
		Args:    a.args(0, -1),
		RunE:    func(cmd *cobra.Command, paths []string) error { return a.audit(cmd.Context(), paths, page) },
	}
	cmd.Flags().StringVar(&page, "html", "", "write a page with charts into `FILE`")
	return cmd
}

func (a *app) audit(ctx context.Context, paths []string, page string) error {
	if st, err := os.Stat(a.absolute(page)); page == "-" || page != "" && err == nil && !st.Mode().IsRegular() {
		return misuse("--html takes a file to write, not %s", page)
	}
	models, err := a.models()
	if err != nil {
		return err
	}
	state := a.replays()
	o := audit.Options{Env: a.Env, Models: models, Zone: a.Env.Now().Location(), Mask: a.masks.String}
	for _, p := range paths {
		o.Paths = append(o.Paths, filepath.Clean(a.absolute(p)))
	}
	ctx, stop := temporary.Interruptible(ctx) // a replay's ledger is not left behind
	defer stop()
	bar := a.progress("reading")
	o.Expect, o.Advance, o.Playing = bar.expect, bar.advance, bar.replaying
	o.Play = func(ctx context.Context, r agents.Recording) (audit.Played, error) {
		found, err := replay.SavingsOf(ctx, a.Env, played(r, state), models)
		return audit.Played{Recorded: playOf(found.None), Ours: playOf(found.Ours), ReadBack: found.Ours.ReadBack}, err
	}
	found, err := audit.Run(ctx, o)
	bar.done()
	if err != nil {
		return err
	}
	found.Each(a.masks.String)
	found.CutTitles(maxTitle)
	if page != "" {
		if err := a.writePage(page, found); err != nil {
			return err
		}
	}
	failed := a.sayUnread(found, len(paths) > 0) // first, so that the figures stay on the screen
	if err := a.answer(found, func(w io.Writer) { a.printAudit(w, found) }); err != nil {
		return err
	}
	return failed
}

func playOf(o replay.Outcome) report.Play {
	return report.Play{
		Requests: o.Requests, Input: o.Input, Compactions: o.Compactions, Dollars: o.Dollars, Priced: o.Priced,
		Units: o.Units,
	}
}

// maxTitle bounds the title of a session, in characters.
const maxTitle = 120

// writePage writes the page in one step, readable by the user alone.
func (a *app) writePage(name string, found audit.Audit) error {
	if found.Files == 0 {
		return nil // there is nothing to show
	}
	var b bytes.Buffer
	if err := report.Page(&b, found.Report, a.Env.Now().Location()); err != nil {
		return fault.Wrap(fault.Internal, "cli.audit", err)
	}
	place := a.absolute(name)
	root, err := safefs.OpenRoot(filepath.Dir(place))
	if err != nil {
		return fileError(name, err)
	}
	defer root.Close() // nothing is written through it any more
	if err := writeFile(root, filepath.Base(place), b.Bytes()); err != nil {
		return fileError(name, err)
	}
	a.say("wrote %s", name)
	return nil
}

// sayUnread names what could not be read, and fails if that was a whole file, or if agents have no sessions and the person named none.
func (a *app) sayUnread(found audit.Audit, named bool) error {
	var damaged, links, failed []string
	for _, d := range found.Damaged {
		var lines []string
		if n := d.Broken + d.Long; n > 0 {
			lines = append(lines, chars.Plural(n, "damaged line")+" left out")
		}
		if d.Partly > 0 {
			lines = append(lines, chars.Plural(d.Partly, "line")+" read in part")
		}
		damaged = append(damaged, fmt.Sprintf("%s: %s, the first is line %s", columns.OneLine(d.Path),
			strings.Join(lines, ", "), chars.Commas(d.First)))
	}
	for _, l := range found.Unfollowed {
		links = append(links, columns.OneLine(l.Path)+": not read: "+l.Reason)
	}
	for _, f := range found.Failed {
		failed = append(failed, columns.OneLine(f.Path)+": "+f.Reason)
	}
	a.sayEach(damaged, maxNotices, "more damaged file")
	a.sayEach(links, maxNotices, "more unread path")
	a.sayEach(failed, maxFailures, "more path")
	if len(found.Failed) > 0 {
		return fault.New(fault.Unavailable, "cli.audit", "%s could not be read",
			chars.Plural(len(found.Failed), "path"))
	}
	looked := strings.Join(found.Looked, ", ")
	switch {
	case found.Files == 0 && !named:
		return fault.New(fault.NotFound, "cli.audit", "there are no session files in %s", looked).
			WithHint("`ctxledger audit PATH…` reads session files, and those in directories, that lie elsewhere")
	case found.Files == 0:
		a.say("no session files in %s", looked)
	}
	return nil
}

// printAudit writes the audit so that it fits the screen, as far as that is possible.
func (a *app) printAudit(w io.Writer, r audit.Audit) {
	if r.Files == 0 {
		return
	}
	width, height := screen(a.Out)
	w.Write(auditpage.Text(r, auditpage.Screen{ // into memory
		Width: width, Height: height, Colours: a.colours(), Home: a.Env.Home, Stamp: a.stamp, Table: a.newTable,
	}))
}
