package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/erasing"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/internal/words"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// forgetFlags are the flags of the forget command.
type forgetFlags struct {
	session, memory, scope, text string
	consent                      erasing.Flags
}

func (a *app) forgetCommand() *cobra.Command {
	var f forgetFlags
	cmd := &cobra.Command{
		Use:   "forget HANDLE… | forget --session ID | --memory NAME | --text -",
		Short: "Delete something from the ledger and from the disk",
		Long: "Deletes what each HANDLE names: an artifact with the messages that hold it, a message, the text of a\n" +
			"summary, or a whole session, which --session finds by the host's id, too. A tombstone says that\n" +
			"something was there. Summaries and memories may still quote it; to delete words everywhere, use\n" +
			"--text. --memory deletes a memory with all its earlier versions.\n\n" +
			"With --text - it reads a text of at least 8 bytes from standard input, so that a secret appears\n" +
			"neither in the process list nor in the shell's history. It deletes every message and artifact that\n" +
			"contains exactly the text, also with JSON escapes, but in no other case or Unicode form, which a hint\n" +
			"names, and not inside base64. From derived data, such as summaries, memories, titles, commands and\n" +
			"paths, it removes only the text. Then it rewrites the records, searches every file of the state\n" +
			"directory for the text, and reports what is left.\n\n" +
			"Copies elsewhere are never touched: the agent's own session files, your backups, exports into\n" +
			"other directories. The command first lists what goes, and asks. Without a terminal it needs --yes;\n" +
			"a text is then not looked for twice, so that only the answer lists what went.",
		Example: "  ctxledger forget a3f9c20b1d7e\n" +
			"  ctxledger forget --session 3f9c1b2a --dry-run\n" +
			"  ctxledger forget --memory deploy --scope user\n" +
			"  ctxledger forget --text - < secret.txt\n" +
			"  pass show api-key | ctxledger forget --text - --yes",
		Args: a.args(0, -1),
	}
	cmd.Flags().StringVar(&f.session, "session", "", "forget the session `ID`")
	cmd.Flags().StringVar(&f.memory, "memory", "", "forget the memory `NAME`")
	cmd.Flags().StringVar(&f.scope, "scope", "", "with --memory: `SCOPE` is project or user (default: project)")
	cmd.Flags().StringVar(&f.text, "text", "", "forget a text; `-` reads it from standard input")
	f.consent.Define(cmd, erasing.Forgetting())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd, args); err != nil {
			return err
		}
		text := ""
		if f.text != "" {
			var err error
			if text, err = a.secret(); err != nil {
				return err
			}
		}
		return a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			rs, err := f.requests(ctx, api, args, text)
			if err != nil {
				return err
			}
			return a.forget(ctx, api, rs, f.consent)
		})(cmd, args)
	}
	return cmd
}

// check refuses a command line that does not name one kind of thing.
func (f forgetFlags) check(cmd *cobra.Command, args []string) error {
	named := min(len(args), 1)
	for _, flag := range []string{"session", "memory", "text"} {
		if cmd.Flags().Changed(flag) {
			named++
		}
	}
	switch {
	case named != 1:
		return misuse("name what to forget, and one kind of thing only: handles, --session, --memory or --text -")
	case len(args) == 0 && f.session == "" && f.memory == "" && f.text == "" || slices.Contains(args, ""):
		return misuse("what to forget has no name")
	case f.text != "" && f.text != "-":
		return misuse("--text takes only -: the process list and the shell's history show the command line")
	case f.scope != "" && f.memory == "":
		return misuse("--scope needs --memory")
	case f.scope != "" && f.scope != string(memory.Project) && f.scope != string(memory.User):
		return misuse("--scope takes %s or %s, not %q", memory.Project, memory.User, f.scope)
	}
	return agree(f.consent)
}

// agree refuses flags that contradict each other.
func agree(c erasing.Flags) error {
	if c.Yes && c.Dry {
		return misuse("give --yes or --dry-run, not both")
	}
	return nil
}

// erasing returns where a command that destroys asks.
func (a *app) erasing() erasing.Face {
	return erasing.Face{In: a.In, Err: a.Err, Asking: terminal(a.In) && terminal(a.Err), Line: a.line, Say: a.say,
		Deed: erasing.Forgetting()}
}

// requests returns a request for each thing that the command line names, each once.
func (f forgetFlags) requests(ctx context.Context, api ledger.API, args []string, text string,
) ([]ledger.ForgetRequest, error) {
	switch {
	case f.session != "":
		s, err := ledger.FindSession(ctx, api, ledger.SessionRequest{Name: f.session})
		return []ledger.ForgetRequest{{Handle: s.ID}}, err
	case f.memory != "":
		return []ledger.ForgetRequest{{Memory: f.memory, Scope: memory.Scope(f.scope)}}, nil
	case f.text != "":
		return []ledger.ForgetRequest{{Text: text}}, nil
	}
	var rs []ledger.ForgetRequest
	for i, handle := range args {
		if !slices.Contains(args[:i], handle) {
			rs = append(rs, ledger.ForgetRequest{Handle: handle})
		}
	}
	return rs, nil
}

// maxSecret bounds what is read of a text, in bytes: a little more than the limit, so that a longer one is refused.
const maxSecret = 64<<10 + 3

// secret reads the text to forget, without the line break at its end.
func (a *app) secret() (string, error) {
	if terminal(a.In) {
		a.say("reading the text from the terminal; end it with control-D")
	}
	raw, err := io.ReadAll(io.LimitReader(a.In, maxSecret))
	text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	return text, fault.Wrap(fault.Unavailable, "cli.forget", err)
}

// forgetter is what a forgetting needs of the ledger.
type forgetter interface {
	ledger.Erasure
	ledger.MemoryStore
}

// forget shows what would go, asks, and forgets it. All requests are looked at before the first is carried out, so that a
// wrong handle is refused while nothing is changed.
func (a *app) forget(ctx context.Context, api forgetter, rs []ledger.ForgetRequest, c erasing.Flags) error {
	text := rs[0].Text != ""
	if !text || !c.Yes { // looking for a text reads everything
		plan, err := forgetAll(ctx, api, rs, true)
		if err != nil {
			return err
		}
		show := func(w io.Writer) { a.erasing().Going(w, plan, text) }
		if c.Dry {
			a.sayForms(ctx, api, rs[0], plan)
			return a.answer(plan, show)
		}
		if len(plan.Counts) > 0 { // else it only finishes what was interrupted
			if err := a.erasing().Consent(c, show); err != nil {
				return err
			}
		}
	}
	f, err := forgetAll(ctx, api, rs, false)
	if err != nil {
		return err
	}
	if err := a.answer(f, func(w io.Writer) {
		erasing.Done(w, f, text)
		erasing.Left(w, f, rs[0])
	}); err != nil {
		return err
	}
	a.sayForms(ctx, api, rs[0], f)
	if len(f.Left) > 0 {
		return fault.New(fault.Conflict, "cli.forget", "%s of this ledger still hold the text",
			chars.Plural(len(f.Left), "place"))
	}
	return nil
}

// sayForms says where the ledger holds a text that it was to forget in another Unicode form: that is another text, of
// which nothing is deleted.
func (a *app) sayForms(ctx context.Context, api ledger.Erasure, r ledger.ForgetRequest, f ledger.Forgotten) {
	if r.Text == "" || len(f.Counts) > 0 {
		return
	}
	for _, form := range words.Forms(r.Text) {
		plan, err := api.Forget(ctx, ledger.ForgetRequest{Text: form.Text, DryRun: true})
		if err == nil && len(plan.Counts) > 0 { // else there is nothing to say of it
			a.say("hint: the ledger holds this text in the Unicode form %s, which has other bytes: forget it in that form "+
				"(`uconv -x any-%s`)", form.Name, form.Name)
			return
		}
	}
}

// forgetAll carries out some requests, or with dry only looks what they would do, and returns the sum of their answers.
func forgetAll(ctx context.Context, api forgetter, rs []ledger.ForgetRequest, dry bool,
) (sum ledger.Forgotten, err error) {
	for i, r := range rs {
		r.DryRun = dry
		f, err := api.Forget(ctx, r)
		if err != nil {
			return sum, ofOtherScope(ctx, api, r.Memory, string(r.Scope), "forget --memory", err)
		}
		if i == 0 {
			sum = f
		} else {
			sum = sum.And(f)
		}
	}
	slices.Sort(sum.Sessions)
	sum.Sessions = slices.Compact(sum.Sessions)
	return sum, nil
}

// ofOtherScope is the error for a memory that the project does not have: where the user has one of that name, the hint has
// the command that deletes that.
func ofOtherScope(ctx context.Context, api ledger.MemoryStore, name, scope, verb string, err error) error {
	if name == "" || scope != "" || !fault.Is(err, fault.NotFound) {
		return err
	}
	if _, no := api.Memory(ctx, ledger.MemoryRequest{Name: name, Scope: memory.User}); no != nil {
		return err
	}
	return fault.New(fault.NotFound, "cli.memory",
		"no memory %.1000q of the project; the user has one of that name, which all workspaces share", name).
		WithHint("`ctxledger %s %s --scope user` deletes that", verb, shell.Quote(name))
}
