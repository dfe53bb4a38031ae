package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/resume"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/cli/setup"
	"ctxledger.dev/compaction"
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
		Use:        "continue SESSION --in AGENT",
		SuggestFor: []string{"resume"},
		Short:      "Go on with a session in another agent, or anew in the same one",
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
				return misuse("name the agent that goes on with --in AGENT: %s", agents.Written())
			}
			w, err := agents.WriterFor(f.in)
			if err != nil {
				return err
			}
			f.in = string(w.Agent)
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
	cmd.Flags().StringVar(&f.in, "in", "", "`AGENT` that goes on: "+agents.Written())
	cmd.Flags().StringVar(&f.dir, "dir", "", "go on in `DIRECTORY` (default: where the session ran)")
	cmd.Flags().IntVar(&f.budget, "budget", 0, "at most `TOKENS` for the document")
	cmd.Flags().IntVar(&f.keep, "keep", 0, "keep `N` turns verbatim")
	return cmd
}

// compactToFile compacts a session and writes a new session file of its own agent.
func (a *app) compactToFile(ctx context.Context, api ledger.API, s sessions.Session, f compactFlags) error {
	if _, err := agents.WriterFor(s.Host); err != nil {
		return fault.New(fault.Invalid, "cli.compact", "--resume goes on in the session's own agent: none is written for %s",
			s.Host).WithHint("`ctxledger continue %s --in %s` writes one for that agent", s.ID, sessionfile.ClaudeCode)
	}
	return a.continued(ctx, api, s, f, resume.Request{In: s.Host, Dir: f.dir, Compacted: true})
}

// continued compacts a session and writes it as a new session file.
func (a *app) continued(ctx context.Context, api ledger.API, s sessions.Session, f compactFlags,
	r resume.Request) error {
	r.Env, r.Session, r.Reader, r.Mask = a.Env, s, f.reader(), a.masks.Bytes
	if r.Dir != "" {
		r.Dir = a.absolute(r.Dir)
	}
	done, err := resume.Write(ctx, api, r, func() (ledger.CompactionPlan, error) {
		return a.compacted(ctx, api, ledger.PlanCompactionRequest{Session: s.ID, Reader: r.Reader,
			Options: compaction.Options{Mode: compaction.Mode(f.mode), Budget: f.budget, Keep: f.keep,
				Reason: "resume"}}, f.author)
	})
	if err != nil {
		return err
	}
	if program := setup.Lacking(a.Env, r.In); program != "" {
		a.say("there is no %s in PATH: the session is written, but the command that goes on needs it", program)
	}
	return a.answer(done, func(w io.Writer) { fmt.Fprint(w, done.Text(a.Env.Dir)) })
}
