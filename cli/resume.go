package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/agents/resume"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

func resumeCommand() command {
	var f compactFlags
	var agent, dir string
	return command{
		name: "resume", args: "[SESSION|FILE]", rank: everyday,
		short: "Continue a session in compact form, even in another agent",
		long: "Compacts a session and writes a new session file with a summary of the older part and the " +
			"newest messages, then prints the command that continues it. The old session stays as it is. No " +
			"model is called unless MODE says so. With --in you choose the agent that continues; a new " +
			"session is then written even if there was nothing to compact. For another agent, calls to tools " +
			"it lacks become text, and secrets are masked. See docs/resume.md.\n\n" +
			compactModes,
		example: "ctxledger resume\nctxledger resume --in codex",
		near:    []string{"go"}, was: map[string]string{"continue": ""},
		does: undoable, undo: "it writes another session and keeps the first", json: answers(resume.Written{}),
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&agent, "in", "", "continue in `AGENT` (default: the agent of the session)")
			fs.StringVar(&dir, "dir", "", "continue in `DIRECTORY` (default: where the session ran)")
			f.define(fs)
		},
		check: func(a *action, _ []string) error {
			if agent != "" {
				w, err := agents.WriterFor(agent)
				if err != nil {
					return err
				}
				agent = string(w.Agent)
			}
			if f.mode == modeAuto {
				return misuse("resume compacts now: mode auto is for `ctxledger compact`")
			}
			return f.check(a)
		},
		ask: func(ctx context.Context, a *action, args []string) error {
			s, err := sessionOf(ctx, a, strings.Join(args, ""), "")
			if err != nil {
				return err
			}
			if agent == "" && len(args) == 0 {
				if s, err = continuable(ctx, a, s); err != nil {
					return err
				}
			}
			r := resume.Request{In: agent, Dir: dir, Chosen: f.chosen(a)}
			if agent == "" {
				if !writable(s) {
					return fault.New(fault.Invalid, "cli.resume", "%s", notWritten(s)).WithHint("%s", inAnother(s))
				}
				r.In, r.Compacted = s.Host, true
			}
			return writeResumed(ctx, a, s, f, r)
		},
	}
}

// writable reports whether session files are written for the agent of a session.
func writable(s sessions.Session) bool {
	_, err := agents.WriterFor(s.Host)
	return err == nil
}

// notWritten says that a session cannot continue in its own agent, and inAnother what writes it for one that can.
func notWritten(s sessions.Session) string {
	return fmt.Sprintf("session %s cannot continue in its own agent: no session files are written for %s", s.ID,
		cmp.Or(s.Host, "it"))
}

func inAnother(s sessions.Session) string {
	return fmt.Sprintf("`ctxledger resume %s --in %s` continues it in that agent", s.ID, claudecode.Name)
}

// continuable returns the newest session that its own agent can continue, or the given one, the newest of all, if there is none. It
// says which it passes over.
func continuable(ctx context.Context, a *action, newest sessions.Session) (sessions.Session, error) {
	page, err := a.ledger.Sessions(ctx, ledger.SessionsRequest{})
	for _, s := range append([]sessions.Session{newest}, page.Sessions...) {
		if writable(s) && s.Main() && !s.Gone() {
			if !writable(newest) {
				a.say("%s; session %s is the newest that can", notWritten(newest), s.ID)
				a.hint("%s", inAnother(newest))
			}
			return s, err
		}
	}
	return newest, err
}

// writeResumed compacts a session and writes it as a new session file.
func writeResumed(ctx context.Context, a *action, s sessions.Session, f compactFlags,
	r resume.Request) error {
	r.Env, r.Session, r.Reader, r.Mask = a.Env, s, f.whose(), a.masks.Bytes
	if r.Dir != "" {
		r.Dir = a.absolute(r.Dir)
	}
	given, err := handedTo(ctx, a, s, &r)
	if err != nil {
		return err
	}
	done, err := resume.Write(ctx, a.ledger, r, func() (ledger.CompactionPlan, error) {
		return runCompaction(ctx, a, f.request(s.ID, "resume"), f.author)
	})
	if err == nil && r.Handoff != "" {
		err = given.Taken(ctx, a.ledger)
	}
	if err != nil {
		return err
	}
	if done.Nothing != "" {
		err = a.answer(done, func(w io.Writer) {
			fmt.Fprintf(w, "session %s continues as it is, and nothing was written: %s\n", s.ID, columns.OneLine(done.Nothing))
		})
		a.hint("%s", resume.Shorter)
		return err
	}
	err = a.answer(done, func(w io.Writer) { fmt.Fprint(w, a.self.in(done.Text(a.Env.Dir))) })
	if program := lacking(a.Env, r.In); program != "" {
		a.say("%s is not in PATH: the new session has been written, but no program here can continue it yet", program)
		a.hint("install %s, or add %s to PATH; if you do not want the new session, delete its file",
			registry.Of(r.In).Title, program)
	}
	return err
}
