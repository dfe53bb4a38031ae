package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/audit"
	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/ledger"
	"ctxledger.dev/report"
	"ctxledger.dev/tokens"
	"ctxledger.dev/workspace"
)

// replayedSessions is how many sessions `audit --replay` replays without --all.
const replayedSessions = 10

// auditFlags are the flags of the command audit.
type auditFlags struct {
	page        string
	replay, all bool
	view        viewFlags
}

func auditCommand() command {
	var o auditFlags
	return command{
		name: "audit", args: "[VIEW] [PATH…]", rank: everyday,
		short: "Show what past sessions cost, and what filled their requests",
		long: "Reads the session files of coding agents and shows what was spent by model, day, project and " +
			"session, what filled the requests, which tools and files cost most, and what compactions lost. " +
			"Without a path it reads the directories where agents keep their sessions, and asks any daemon that " +
			"runs here what a proxy measured. It starts no daemon and opens no ledger.\n\nTokens and requests " +
			"are as the providers reported " +
			"them, each counted once; dollar amounts are at list prices. What filled a request is an estimate, marked " +
			"≈, scaled to the reported tokens. docs/audit.md explains each figure. With --replay, the ten most expensive " +
			"sessions are then replayed in a temporary ledger to estimate what sending smaller views would have saved; no " +
			"tasks are re-run, and an interrupt shows the sessions replayed so far. A file that cannot be read is " +
			"reported, the others are counted, and the exit status is 1.\n\nA VIEW prints one table with all its rows: " +
			"daily, weekly, monthly, session, project, model, or blocks, the five-hour windows of subscriptions, the " +
			"current one with its pace. --since and --until take a day (2026-11-23, the whole of it), a time " +
			"(2026-11-23 14:00) or an age (36h, 2w).",
		example: "ctxledger audit\nctxledger audit daily --last 7\nctxledger audit --replay\nctxledger audit --html audit.html",
		near:    []string{"cost", "costs", "price", "usage", "report"},
		was: map[string]string{"bench": "audit [PATH…]", "bench replay": "audit --replay [PATH…]",
			"bench retention": "audit [PATH…]"},
		does: keeps, undo: "it writes the file given with --html", everywhere: true,
		json: answers(audited{}, report.View{}),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.page, "html", "", "write a page with charts to `FILE`")
			f.BoolVar(&o.replay, "replay", false, "replay the ten most expensive sessions")
			f.BoolVar(&o.all, "all", false, "with --replay: replay all sessions")
			o.view.add(f)
		},
		check: func(a *action, _ []string) error {
			if a.workspace == "" {
				return nil
			}
			return usageError{errors.New("audit reads the sessions of all directories: --workspace selects none of them"),
				"`ctxledger audit PATH…` reads only these session files and directories"}
		},
		run: func(ctx context.Context, a *action, args []string) error {
			if len(args) > 0 && slices.Contains(report.Views, args[0]) {
				return runView(ctx, a, args[0], args[1:], o)
			}
			if name := o.view.first(); name != "" {
				return usageError{fmt.Errorf("%s needs a view: %s", name, strings.Join(report.Views, ", ")),
					"for instance `ctxledger audit daily --last 7`"}
			}
			return runAudit(ctx, a, args, o)
		},
	}
}

func runAudit(ctx context.Context, a *action, paths []string, f auditFlags) error {
	if f.all && !f.replay {
		return misuse("--all needs --replay")
	}
	if st, err := os.Stat(a.absolute(f.page)); f.page == "-" || f.page != "" && err == nil && !st.Mode().IsRegular() {
		return misuse("--html takes a file to write, not %s", f.page)
	}
	if dir := filepath.Dir(a.absolute(f.page)); f.page != "" && !isDir(dir) { // before what takes long
		return fault.New(fault.NotFound, "cli.audit", "cannot write %s: there is no directory %s", f.page, dir)
	}
	models, err := a.models()
	if err != nil {
		return err
	}
	ctx, stop := temporary.Interruptible(ctx) // a replay's ledger is not left behind
	defer stop()
	found, failed, err := readAudit(ctx, a, paths, models)
	if err != nil {
		return err
	}
	found.Each(a.masks.String)
	found.CutTitles(maxTitle)
	out := audited{Audit: found}
	if len(paths) == 0 {
		out.Proxy = measuredHere(ctx, a)
	}
	if !a.json { // before what takes longer
		show := func(w io.Writer) { printAudit(a, w, out, len(paths) == 0, f.replay) }
		failed = errors.Join(a.answer(nil, show), failed)
	}
	if f.replay && ctx.Err() == nil {
		failed = errors.Join(failed, replayAudit(ctx, a, &out, models, f.all))
	}
	if f.page != "" {
		if err := writePage(a, f.page, out.Audit); err != nil {
			return err
		}
	}
	if a.json {
		failed = errors.Join(a.answerJSON(out), failed)
	}
	return failed
}

// readAudit reads session files, and says what of them could not be read: first, so that the figures stay on the screen. That
// is failed, too; err is for what leaves no figures.
func readAudit(
	ctx context.Context, a *action, paths []string, models *tokens.Registry,
) (found audit.Audit, failed, err error) {
	o := audit.Options{Env: a.Env, Models: models, Zone: a.Env.Now().Location(), Mask: a.masks.String,
		Figures: figuresFile(a), Program: a.Version + " " + build()}
	for _, p := range paths {
		o.Paths = append(o.Paths, filepath.Clean(a.absolute(p)))
	}
	bar := a.progress("reading")
	o.Expect, o.Advance = bar.expect, bar.advance
	found, err = audit.Run(ctx, o)
	bar.done()
	var interrupted error
	if found.Unread > 0 {
		interrupted = fault.New(fault.Unavailable, "cli.audit", "interrupted: %s not read",
			chars.Plural(found.Unread, "file"))
	}
	if found.Files == 0 && err != nil {
		return found, nil, cmp.Or(interrupted, err)
	}
	return found, errors.Join(sayUnread(a, found, len(paths) > 0), interrupted), nil
}

// replayAudit replays sessions of an audit, and prints what came of that. Errors: unavailable where it was interrupted.
func replayAudit(ctx context.Context, a *action, out *audited, models *tokens.Registry, all bool) error {
	most, state := replayedSessions, replayState(a)
	if all {
		most = math.MaxInt
	}
	bar := a.progress("replaying")
	out.Replay(ctx, most, func(ctx context.Context, r agents.Recording) (audit.Played, error) {
		found, err := replay.SavingsOf(ctx, a.Env,
			&replay.Session{Name: r.Name, State: state, About: r.About, Entries: r.Entries, Summaries: r.Summaries},
			models)
		return audit.Played{Model: found.Model, Recorded: playOf(found.None), Ours: playOf(found.Ours),
			ReadBack: found.Ours.ReadBack, Unlike: found.Unlike}, err
	}, bar.share)
	bar.done()
	out.Replayed.Each(a.masks.String)
	var err error
	if !a.json && out.Files > 0 {
		err = a.answer(nil, func(w io.Writer) { a.page(w).Replayed(out.Audit.Replayed) })
	}
	if ctx.Err() != nil {
		err = errors.Join(err, fault.New(fault.Unavailable, "cli.audit", "interrupted: %d of %s replayed",
			out.Replayed.Sessions+out.Replayed.Unlike, chars.Plural(min(most, out.Replayed.Of), "session")))
	}
	return err
}

// audited is what the command audit answers.
type audited struct {
	audit.Audit
	// Proxy sums up what a proxy measured in this place, where its daemon runs; nil: nothing.
	Proxy *ledger.ProxyUse `json:"proxy,omitempty"`
}

// measuredHere asks the daemon of this place, if one runs, what a proxy measured: an audit starts none.
func measuredHere(ctx context.Context, a *action) *ledger.ProxyUse {
	ws, err := a.find()
	if err != nil || ws.Root == "" {
		return nil
	}
	if st, err := daemon.Status(ctx, ws.State); err != nil || !st.Running {
		return nil
	}
	api, err := daemon.Open(ctx, daemon.Options{State: ws.State, Workspace: ws.Root, Env: a.Env, Version: a.Version,
		NoSpawn: true})
	if err != nil {
		return nil
	}
	defer api.Close()                                      // nothing is written through it
	page, _ := api.Requests(ctx, ledger.RequestsRequest{}) // an older daemon knows none
	return page.Use
}

// figuresFile returns where the figures of session files are kept for the next audit; "" without a place for that.
func figuresFile(a *action) string {
	ws, err := a.find()
	if err != nil {
		return ""
	}
	return workspace.Figures(ws.UserState)
}

// replayState returns the state directory below which replays have their ledgers, so that what a killed one left is found and
// removed; "" without one.
func replayState(a *action) string {
	ws, err := a.find()
	if err != nil {
		return ""
	}
	return ws.State
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
func writePage(a *action, name string, found audit.Audit) error {
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

// sayUnread names what could not be read, in directories that the person named also what is no session, and fails if that was a
// whole file, or if there are no sessions.
func sayUnread(a *action, found audit.Audit, named bool) error {
	var damaged, links, failed []string
	for _, d := range found.Damaged {
		var lines []string
		if d.Broken > 0 {
			lines = append(lines, chars.Plural(d.Broken, "damaged line")+" left out")
		}
		if d.Long > 0 {
			lines = append(lines, chars.Plural(d.Long, "line")+" longer than "+chars.Size(limits.Line)+" left out")
		}
		if d.Partly > 0 {
			lines = append(lines, chars.Plural(d.Partly, "line")+" read in part")
		}
		damaged = append(damaged, fmt.Sprintf("%s: %s, the first on line %s", columns.OneLine(d.Path),
			strings.Join(lines, ", "), chars.Commas(d.First)))
	}
	unread := found.Unfollowed
	if named {
		unread = slices.Concat(unread, found.Skipped)
	}
	for _, l := range unread {
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
			chars.Plural(len(found.Failed), "path")).WithHint("%s", somethingElse(found.Failed[0].Path))
	}
	looked := strings.Join(found.Looked, ", ")
	switch {
	case found.Files == 0 && !named:
		return fault.New(fault.NotFound, "cli.audit", "no session files in %s", looked).
			WithHint("`ctxledger audit PATH…` reads session files and directories elsewhere")
	case found.Files == 0 && slices.ContainsFunc(found.Looked, isDir):
		return fault.New(fault.NotFound, "cli.audit", "no session files in %s", looked).
			WithHint("%s", keptElsewhere(a, found.Looked))
	case found.Files == 0: // a session that was not gone on with
		a.say("nothing to count in %s", looked)
	}
	return nil
}

// somethingElse is the hint for a path that looks like the id of a session, or like a view; "": it does not.
func somethingElse(path string) string {
	name := filepath.Base(path)
	if isID(strings.ReplaceAll(name, "-", "")) {
		return "`ctxledger status " + name + "` shows a session of the ledger"
	}
	if like := alike(name, report.Views); like != "" {
		return "did you mean `ctxledger audit " + like + "`?"
	}
	return ""
}

// keptElsewhere is the hint for directories without session files: what reads the sessions that ran in them.
func keptElsewhere(a *action, dirs []string) string {
	for _, dir := range dirs {
		if kept := claudecode.ProjectDir(a.Env, dir); isDir(kept) {
			return "`ctxledger audit " + shell.Quote(kept) + "` reads those that Claude Code keeps of this directory"
		}
	}
	return "agents keep session files elsewhere: `ctxledger audit` reads those of all projects, " +
		"`ctxledger audit project` sums them up by project"
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// printAudit writes the audit so that it fits the screen, as far as that is possible.
func printAudit(a *action, w io.Writer, r audited, all, replays bool) {
	scope, next := "", ""
	if all {
		scope = a.self.in("of all projects on this machine; `ctxledger audit PATH…` reads some files")
	}
	if !replays {
		next = "`ctxledger audit --replay` estimates what sending smaller views would have saved"
	}
	if r.Files > 0 {
		a.page(w).Audit(r.Audit, scope, next)
	}
	if r.Proxy != nil {
		fmt.Fprintln(w)
		a.page(w).Proxy(r.Proxy)
	}
}
