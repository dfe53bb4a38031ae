package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"ctxledger.dev/agents/resume"
	"ctxledger.dev/given"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/sessions"
)

// givenFlags are the options of the commands about what agents are given.
type givenFlags struct{ agent, session, task, from string }

func assembleCommand() command {
	var f givenFlags
	return command{
		name: "context assemble", short: "Print what an agent is given when it starts",
		long: "Prints what the configuration declares for an agent (`agents[].context`): the task, the agent's own turns, and " +
			"a block built from the declared sources, instead of the session's history. Secrets are masked. With " +
			"--json it prints the messages as a host sends them, and which sources are empty. See docs/given.md.",
		example: "ctxledger context assemble --agent Tester",
		does:    keeps, json: answers(given.Assembled{}),
		flags: func(fs *pflag.FlagSet) {
			agentFlag(fs, &f.agent, "the `AGENT`, by its name in the configuration or in its host")
			f.define(fs)
			fs.StringVar(&f.task, "task", "", "its task: a `TEXT` (default: the first request)")
		},
		check: func(*action, []string) error { return needs("--agent", f.agent) },
		ask: shows(func(ctx context.Context, a *action, _ []string) (given.Assembled, error) {
			r, err := f.request(ctx, a)
			if err != nil {
				return given.Assembled{}, err
			}
			return given.Assemble(ctx, a.ledger, r)
		}, func(_ *action, w io.Writer, v given.Assembled) { fmt.Fprintln(w, v.Text()) }),
	}
}

func handoffCommand() command {
	var f givenFlags
	return command{
		name: "handoff", short: "Hand one agent's work to another, with what that needs to know",
		long: "Builds a block from what the configuration declares for the transition between two agents " +
			"(`handoff_context`), records it once in the session, and prints it. The other agent gets it when it " +
			"starts: by a hook, with `ctxledger context assemble`, or with `ctxledger resume --in`. See docs/given.md.",
		example: "ctxledger handoff --from Developer --to Tester",
		does:    keeps, json: answers(given.Assembled{}),
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.from, "from", "", "the `AGENT` that hands its work over")
			fs.StringVar(&f.agent, "to", "", "the `AGENT` that takes over")
			f.define(fs)
		},
		check: func(*action, []string) error {
			if err := needs("--from", f.from); err != nil {
				return err
			}
			return needs("--to", f.agent)
		},
		ask: shows(func(ctx context.Context, a *action, _ []string) (given.Assembled, error) {
			r, err := f.request(ctx, a)
			if err != nil {
				return given.Assembled{}, err
			}
			return given.HandOff(ctx, a.ledger, r, f.from)
		}, printHandoff),
	}
}

func noteCommand() command {
	var f givenFlags
	var n sessions.Notes
	kinds := []sessions.NotesKind{sessions.NotesContext, sessions.NotesAttempt, sessions.NotesHypothesis}
	return command{
		name: "context note", args: "KIND", short: "Leave a note for the other agents in a session",
		long: "Records a note for the agents that continue a session. KIND is `context` (the session context, which replaces " +
			"the one before), `attempt` (something that was tried; --reason is the outcome) or `hypothesis` " +
			"(--id, --status and --reason change one that is logged). Without --text it is read from standard input.",
		example: "ctxledger context note attempt --text 'pin the driver' --reason 'same error'\n" +
			"ctxledger context note context --agent Developer < tests.txt",
		does: keeps, json: answers(notedAnswer{}),
		flags: func(fs *pflag.FlagSet) {
			agentFlag(fs, &n.Agent, "the `AGENT` leaving the note")
			f.define(fs)
			fs.StringVar(&n.Text, "text", "", "the `TEXT` itself")
			fs.StringVar(&n.ID, "id", "", "the `ID` of a hypothesis")
			fs.StringVar(&n.Status, "status", "", "the `STATUS` of a hypothesis: open, confirmed or rejected")
			fs.StringVar(&n.Reason, "reason", "", "why it was rejected, or the outcome of the attempt: a `TEXT`")
		},
		check: func(_ *action, args []string) error {
			if n.Kind = sessions.NotesKind(args[0]); !slices.Contains(kinds, n.Kind) {
				return misuse("KIND is context, attempt or hypothesis, not %q", args[0])
			}
			return nil
		},
		ask: shows(func(ctx context.Context, a *action, _ []string) (out notedAnswer, err error) {
			r, err := f.request(ctx, a)
			if err == nil && !a.flags.Changed("text") && n.ID == "" {
				n.Text, err = readText(a, "text", limits.SessionContext*utf8.UTFMax+1)
			}
			if err == nil {
				out.Notes, out.Session, err = given.Log(ctx, a.ledger, r.Session, r.Session.Host, n)
			}
			return out, err
		}, func(_ *action, w io.Writer, v notedAnswer) {
			fmt.Fprintln(w, strings.Join(strings.Fields("noted "+v.ID+" in session "+v.Session), " "))
		}),
	}
}

// notedAnswer is what was noted.
type notedAnswer struct {
	sessions.Notes
	Session string `json:"session"`
}

// printHandoff prints what is handed over.
func printHandoff(_ *action, w io.Writer, v given.Assembled) {
	if v.Handoff == "" {
		fmt.Fprintln(w, "nothing was handed over: no declared source has content")
		return
	}
	fmt.Fprintln(w, v.Handoff)
}

// define defines what the commands share.
func (f *givenFlags) define(fs *pflag.FlagSet) {
	fs.StringVar(&f.session, "session", "", "the agents' `SESSION` (default: this one, or else the newest)")
}

// needs refuses an option that is missing.
func needs(option, value string) error {
	if value == "" {
		return misuse("%s is missing: name an agent", option)
	}
	return nil
}

// request returns the request of a command: for the session that the named one belongs to.
func (f *givenFlags) request(ctx context.Context, a *action) (given.Request, error) {
	s, err := a.session(ctx, f.session)
	if err == nil {
		s, err = given.Root(ctx, a.ledger, s)
	}
	if err != nil {
		return given.Request{}, err
	}
	root := a.place.Root
	if s.Tree != "" && filepath.IsAbs(s.Tree) {
		root = s.Tree
	}
	set := a.settings(a.place)
	return given.Request{Spec: set.Given, Agent: f.agent, Session: s, Task: f.task, Root: root, Env: a.Env,
		Told: given.ToldBy(set)}, nil
}

// handedTo adds to what is written for an agent what another one left for it.
func handedTo(ctx context.Context, a *action, s sessions.Session, r *resume.Request) (given.Request, error) {
	asked := given.Request{Spec: a.settings(a.place).Given, Agent: r.In, Session: s, Root: a.place.Root, Env: a.Env}
	if !asked.Spec.Receives(r.In) {
		return asked, nil
	}
	var err error
	r.Handoff, err = given.Pending(ctx, a.ledger, asked)
	return asked, err
}
