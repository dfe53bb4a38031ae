package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/agents/resume"
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
				if _, err := agents.WriterFor(s.Host); err != nil {
					return fault.New(fault.Invalid, "cli.resume",
						"the session cannot continue in its own agent: no session files are written for %s", s.Host).WithHint(
						"`ctxledger resume %s --in %s` writes one for that agent", s.ID, claudecode.Name)
				}
				r.In, r.Compacted = s.Host, true
			}
			return writeResumed(ctx, a, s, f, r)
		},
	}
}

// continuable returns the newest session that its own agent can continue, or the given one, the newest of all, if there is none.
func continuable(ctx context.Context, a *action, newest sessions.Session) (sessions.Session, error) {
	page, err := a.ledger.Sessions(ctx, ledger.SessionsRequest{})
	for _, s := range append([]sessions.Session{newest}, page.Sessions...) {
		if _, no := agents.WriterFor(s.Host); no == nil && s.Main() {
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
	err = a.answer(done, func(w io.Writer) { fmt.Fprint(w, a.self.in(done.Text(a.Env.Dir))) })
	if program := lacking(a.Env, r.In); program != "" {
		a.say("%s is not in PATH: the new session has been written, but no program here can continue it yet", program)
		a.hint("install %s, or add %s to PATH; if you do not want the new session, delete its file",
			registry.Of(r.In).Title, program)
	}
	return err
}
