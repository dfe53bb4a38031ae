package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/resume"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// continueFlags are the flags of the continue command.
type continueFlags struct {
	in     string
	dir    string
	budget int
	keep   int
}

func (a *app) continueCommand() *cobra.Command {
	var f continueFlags
	cmd := &cobra.Command{
		Use:   "continue SESSION --in AGENT",
		Short: "Go on with a session in another agent, or anew in the same one",
		Long: "Compacts a session, or a file of one, and writes a new session file of AGENT: a document of what came\n" +
			"before, and the newest messages. The old session stays as it is. Prints the command that goes on. No model is\n" +
			"asked. Calls of tools that AGENT does not have become text, and secrets are masked for another agent. See\n" +
			"docs/resume.md.",
		Example: "  ctxledger continue ab03de2c --in codex\n  ctxledger continue ab03de2c --in claude-code",
		Args:    a.args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.budget < 0 || f.keep < 0 {
				return misuse("--budget and --keep take numbers from 0 (ctxledger decides)")
			}
			if f.in == "" {
				return misuse("name the agent that goes on with --in AGENT: %s", strings.Join(writable(), " or "))
			}
			if _, err := agents.WriterFor(f.in); err != nil {
				return err
			}
			return a.asks(func(ctx context.Context, api ledger.API, args []string) error {
				s, err := a.sessionOf(ctx, api, args[0], "")
				if err != nil {
					return err
				}
				c := compactFlags{mode: string(compaction.Intent), budget: f.budget, keep: f.keep}
				return a.continued(ctx, api, s, c, resume.Request{In: f.in, Dir: f.dir})
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&f.in, "in", "", "`AGENT` that goes on: "+strings.Join(writable(), " or "))
	cmd.Flags().StringVar(&f.dir, "dir", "", "go on in `DIRECTORY` (default: where the session ran)")
	cmd.Flags().IntVar(&f.budget, "budget", 0, "at most `TOKENS` for the document")
	cmd.Flags().IntVar(&f.keep, "keep", 0, "keep `N` turns verbatim")
	return cmd
}

// writable returns the names of the agents for which sessions are written.
func writable() (names []string) {
	for _, w := range agents.Writers() {
		if w.Cannot == "" {
			names = append(names, string(w.Agent))
		}
	}
	return names
}

// compactToFile compacts a session and writes a new session file of its own agent.
func (a *app) compactToFile(ctx context.Context, api ledger.API, s sessions.Session, f compactFlags) error {
	if _, err := agents.WriterFor(s.Host); err != nil {
		return fault.New(fault.Invalid, "cli.compact", "--resume writes a session for the agent that has it, and none is "+
			"written for %q", s.Host).
			WithHint("`ctxledger continue %s --in %s` writes one for that agent", s.ID, sessionfile.ClaudeCode)
	}
	return a.continued(ctx, api, s, f, resume.Request{In: s.Host, Dir: f.dir, Compacted: true})
}

// continued compacts a session and writes it as a new session file.
func (a *app) continued(ctx context.Context, api ledger.API, s sessions.Session, f compactFlags,
	r resume.Request) error {
	s, err := a.newest(ctx, api, s)
	if err != nil {
		return err
	}
	r.Env, r.Session, r.Reader, r.Mask = a.Env, s, f.reader(), a.masks.Bytes
	if r.Dir != "" {
		r.Dir = a.absolute(r.Dir)
	}
	if err := r.Check(); err != nil {
		return err
	}
	before, err := api.Status(ctx, ledger.StatusRequest{Session: s.ID, Reader: r.Reader, Brief: true})
	if err != nil {
		return err
	}
	r.Before, r.Fixed = before.Held, before.Fixed
	p, err := a.compacted(ctx, api, ledger.PlanCompactionRequest{Session: s.ID, Reader: r.Reader,
		Options: compaction.Options{Mode: compaction.Mode(f.mode), Budget: f.budget, Keep: f.keep, Reason: "resume"},
	}, f.author)
	if err != nil {
		return err
	}
	r.Why = p.Why
	if p.Outcome != compaction.Compacted && p.Outcome != compaction.NothingToDo {
		return fault.New(fault.Conflict, "cli.compact", "session %s was not compacted: %s", s.ID, p.Why)
	}
	done, err := resume.Write(ctx, api, r)
	if err != nil {
		return err
	}
	return a.answer(done, func(w io.Writer) { a.printWritten(w, done) })
}

// newest brings the ledger up to date with the session's file, if it is where its agent keeps it.
func (a *app) newest(ctx context.Context, api ledger.API, s sessions.Session) (sessions.Session, error) {
	file := resume.FileOf(a.Env, s)
	if file == "" {
		return s, nil
	}
	if _, err := agents.Import(ctx, api, agents.Source{Path: file}, nil); err != nil {
		return s, err
	}
	return api.Session(ctx, ledger.SessionRequest{Name: s.ID})
}

// printWritten prints the commands first: they are what the reader wants.
func (a *app) printWritten(w io.Writer, d resume.Written) {
	fmt.Fprintf(w, "go on     %s\n", a.commandLine(d.Dir, d.Resume))
	if len(d.Back) > 0 {
		fmt.Fprintf(w, "go back   %s  (the old session is as it was)\n", a.commandLine(d.Dir, d.Back))
	}
	fmt.Fprintf(w, "holds     %s → %s tokens in the next request; %s kept word for word\n", d.Before, d.After,
		chars.Plural(d.Messages, "message"))
	if d.Masked {
		fmt.Fprintf(w, "masked    secrets are masked: the session is one of another agent\n")
	}
	fmt.Fprintf(w, "file      %s\n", columns.OneLine(d.File))
}

// plainWord matches what a shell takes as one word, without quotes.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// commandLine prints a command for a shell, with the change of directory that it needs.
func (a *app) commandLine(dir string, words []string) string {
	var out []string
	for _, word := range words {
		out = append(out, shellWord(word))
	}
	line := strings.Join(out, " ")
	if here, err := filepath.EvalSymlinks(a.Env.Dir); err == nil && here == dir {
		return line
	}
	return "cd " + shellWord(dir) + " && " + line
}

func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
