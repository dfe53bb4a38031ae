package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/claudecode"
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
		short: "Continue a session in compact form, also in another agent",
		long: "Compacts a session, or a file of one, and writes a new session file: a document of what came before, " +
			"and the newest messages. The old session stays as it is. Prints the command that goes on. No model is " +
			"asked unless MODE says so. With --in another agent goes on, or the same one, also where there was " +
			"nothing to compact. Calls of tools that it does not have become text, and secrets are masked for " +
			"another agent. See docs/resume.md.\n\n" + compactModes,
		example: "ctxledger resume\nctxledger resume ab03de2c --in codex",
		near:    []string{"go"}, was: map[string]string{"continue": ""},
		does: undoable, undo: "it writes another session, and the first stays", json: answers(resume.Written{}),
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&agent, "in", "", "`AGENT` goes on (default: that of the session)")
			fs.StringVar(&dir, "dir", "", "go on in `DIRECTORY` (default: where the session ran)")
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
		ask: func(ctx context.Context, a *action, api ledger.API, args []string) error {
			s, err := sessionOf(ctx, a, api, strings.Join(args, ""), "")
			if err != nil {
				return err
			}
			r := resume.Request{In: agent, Dir: dir}
			if agent == "" {
				if _, err := agents.WriterFor(s.Host); err != nil {
					return fault.New(fault.Invalid, "cli.resume",
						"the session's own agent cannot go on: none is written for %s", s.Host).WithHint(
						"`ctxledger resume %s --in %s` writes one for that agent", s.ID, claudecode.Name)
				}
				r.In, r.Compacted = s.Host, true
			}
			return writeResumed(ctx, a, api, s, f, r)
		},
	}
}

// writeResumed compacts a session and writes it as a new session file.
func writeResumed(ctx context.Context, a *action, api ledger.API, s sessions.Session, f compactFlags,
	r resume.Request) error {
	r.Env, r.Session, r.Reader, r.Mask = a.Env, s, f.whose(), a.masks.Bytes
	if r.Dir != "" {
		r.Dir = a.absolute(r.Dir)
	}
	done, err := resume.Write(ctx, api, r, func() (ledger.CompactionPlan, error) {
		return runCompaction(ctx, a, api, f.request(s.ID, "resume"), f.author)
	})
	if err != nil {
		return err
	}
	if program := lacking(a.Env, r.In); program != "" {
		a.say("there is no %s in PATH: the session is written, but the command that goes on needs it", program)
	}
	return a.answer(done, func(w io.Writer) { fmt.Fprint(w, done.Text(a.Env.Dir)) })
}
