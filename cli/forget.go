package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
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
	consent                      consentFlags
}

func forgetCommand() command {
	var f forgetFlags
	return command{
		name: "forget", args: "[HANDLE…]", near: []string{"secret", "secrets"},
		short: "Delete something for good, from the ledger and the disk",
		long: "Deletes what each HANDLE names: an artifact and the messages that hold it, a message, the text " +
			"of a summary, or a session; --session also takes the agent's own id. A tombstone records that " +
			"something was there. Summaries and memories may still quote it; to delete words everywhere, use " +
			"--text. --memory deletes a memory with all its earlier versions.\n\n--text - reads a text of at " +
			"least 8 bytes from standard input, so that a secret appears neither in the process list nor in " +
			"the shell's history. Every message and artifact that contains exactly this text, including with JSON " +
			"escapes, is deleted; other spellings (case, Unicode form) are named in a hint, and base64 is " +
			"not decoded. From summaries, memories, titles, commands and paths only the text itself is " +
			"removed; a memory that says nothing else is deleted. The records are then rewritten, every file of the state directory is searched for the " +
			"text, and copies that remain are reported.\n\nCopies elsewhere are never touched: the agent's own " +
			"session files, your backups, exports in other directories. The command lists what will be " +
			"deleted and asks first. Without a terminal it needs --yes; a text is then searched for only " +
			"once, so the list comes after the deletion.",
		example: "ctxledger forget a3f9c20b1d7e --dry-run\n" +
			"ctxledger forget --session ab03de2c --dry-run\n" +
			"ctxledger forget --memory deploy --yes\n" +
			"ctxledger forget --text - --yes < secret.txt",
		does: asks, json: answers(ledger.Forgotten{}),
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.session, "session", "", "forget `SESSION`")
			fs.StringVar(&f.memory, "memory", "", "forget the memory `MEMORY`")
			fs.StringVar(&f.scope, "scope", "", "with --memory: `SCOPE` is project (default) or user")
			fs.StringVar(&f.text, "text", "", "forget a text; `-` reads it from standard input")
			f.consent.define(fs, forgetting())
		},
		check: func(a *action, args []string) error { return f.check(a.flags, args) },
		ask: func(ctx context.Context, a *action, args []string) error {
			text := ""
			if f.text != "" {
				var err error
				if text, err = readText(a, "text", maxSecret); err != nil {
					return err
				}
				text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r") // the line break at its end
				if text == "" {
					return misuse("the text on standard input is empty")
				}
			}
			rs, err := f.requests(ctx, a.ledger, args, text)
			if err != nil {
				return err
			}
			return forgetThings(ctx, a, rs, f.consent)
		},
	}
}

// check refuses a command line that does not name one kind of thing.
func (f forgetFlags) check(flags *pflag.FlagSet, args []string) error {
	named := min(len(args), 1)
	for _, flag := range []string{"session", "memory", "text"} {
		if flags.Changed(flag) {
			named++
		}
	}
	switch {
	case named != 1:
		return misuse("give one kind of thing to forget: handles, --session, --memory or --text -")
	case flags.Changed("text") && f.text != "-":
		return usageError{errors.New("--text takes only -: the process list and the shell's history show the command line"),
			"`ctxledger forget --text -` reads the text from standard input"}
	case len(args) == 0 && f.session == "" && f.memory == "" && f.text == "" || slices.Contains(args, ""):
		return misuse("the name given is empty")
	case f.scope != "" && f.memory == "":
		return misuse("--scope needs --memory")
	case f.scope != "" && f.scope != string(memory.Project) && f.scope != string(memory.User):
		return misuse("--scope takes %s or %s, not %q", memory.Project, memory.User, f.scope)
	}
	return f.consent.check()
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

// forgetter is what a forgetting needs of the ledger.
type forgetter interface {
	ledger.Erasure
	ledger.MemoryStore
}

// forgetThings shows what would go, asks, and forgets it. All requests are looked at before the first is carried out, so that a
// wrong handle is refused while nothing is changed.
func forgetThings(ctx context.Context, a *action, rs []ledger.ForgetRequest, c consentFlags) error {
	text := rs[0].Text != ""
	var items []ledger.ForgottenItem
	if !text || !c.yes { // looking for a text reads everything
		plan, err := forgetAll(ctx, a.ledger, rs, true)
		if err != nil {
			return err
		}
		show := func(w io.Writer) { printGoing(a, w, plan, text) }
		if c.dry {
			sayForms(ctx, a, rs[0], plan)
			return a.answer(plan, show)
		}
		items = plan.Items
		if len(plan.Counts) > 0 && !c.yes { // else it only finishes what was interrupted
			if err := a.consent(c, forgetting(), show); err != nil {
				return err
			}
		}
	}
	f, err := forgetAll(ctx, a.ledger, rs, false)
	if err != nil {
		return err
	}
	if err := a.answer(f, func(w io.Writer) {
		gone := f
		if c.yes { // else they were listed
			gone.Items = items
		}
		printGoing(a, w, gone, text)
		if text || len(f.Counts) > 0 {
			printLeft(w, f, rs[0])
		}
	}); err != nil {
		return err
	}
	sayForms(ctx, a, rs[0], f)
	if len(f.Left) > 0 {
		return fault.New(fault.Conflict, "cli.forget", "%s of this ledger still hold the text",
			chars.Plural(len(f.Left), "place"))
	}
	return nil
}

// sayForms says where the ledger holds a text that it was to forget in another Unicode form: that is another text, of
// which nothing is deleted.
func sayForms(ctx context.Context, a *action, r ledger.ForgetRequest, f ledger.Forgotten) {
	if r.Text == "" || len(f.Counts) > 0 {
		return
	}
	for _, form := range words.Forms(r.Text) {
		plan, err := a.ledger.Forget(ctx, ledger.ForgetRequest{Text: form.Text, DryRun: true})
		if err == nil && len(plan.Counts) > 0 { // else there is nothing to say of it
			a.say("hint: the ledger holds this text in the Unicode form %s, as different bytes: forget it in that form "+
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
		"no project memory %.1000q; the user has one of that name, which all workspaces share", name).
		WithHint("`ctxledger %s %s --scope user` deletes that", verb, shell.Quote(name))
}

// printGoing says what was forgotten, or would be: how much of each kind, and the things that come first. text says that it is a
// text, not what a handle names.
func printGoing(a *action, w io.Writer, g ledger.Forgotten, text bool) {
	printForgotten(w, g, text)
	if len(g.Counts) == 0 || len(g.Items) == 0 {
		return
	}
	t := a.plainTable("KIND", "HANDLE", ">BYTES", "CONTENT")
	shown := g.Items[:min(len(g.Items), maxListed)]
	ofKind := map[string]int{}
	for _, i := range shown {
		ofKind[i.Kind]++
		size := "-"
		if i.Bytes > 0 {
			size = chars.Size(i.Bytes)
		}
		t.Add(i.Kind, i.Handle, size, i.Title)
	}
	t.Print(w)
	more := 0
	for _, c := range g.Counts {
		more += c.N - ofKind[c.Kind]
	}
	if g.DryRun {
		andMore(w, more)
	} else if more > 0 {
		fmt.Fprintf(w, "… and %s more\n", chars.Commas(more))
	}
}

// printForgotten says what was forgotten, or would be. text says that it was a text, not what a handle names.
func printForgotten(w io.Writer, f ledger.Forgotten, text bool) {
	verb := "forgot"
	if f.DryRun {
		verb = "would forget"
	}
	if len(f.Counts) == 0 {
		why := "the ledger does not hold it"
		if !text {
			why = "it has already been forgotten" // else its handle were not known
		}
		fmt.Fprintf(w, "%s nothing: %s\n", verb, why)
		return
	}
	var parts []string
	for _, c := range f.Counts {
		parts = append(parts, chars.Plural(c.N, c.Kind))
	}
	size := ""
	if f.Bytes > 0 {
		size = ", " + chars.Size(f.Bytes)
	}
	fmt.Fprintf(w, "%s %s%s\n", verb, strings.Join(parts, ", "), size)
	if n := len(f.Sessions); n > 0 {
		const most = 8
		more := ""
		if n > most {
			more = ", …"
		}
		fmt.Fprintf(w, "in %s: %s%s\n", chars.Plural(n, "session"), strings.Join(f.Sessions[:min(n, most)], ", "), more)
	}
}

func byReason(x, y ledger.LeftPlace) int { return strings.Compare(x.Why, y.Why) }

// printLeft says where what was forgotten can still be found.
func printLeft(w io.Writer, f ledger.Forgotten, r ledger.ForgetRequest) {
	switch {
	case r.Memory != "":
		fmt.Fprintln(w, "deleted from the ledger and erased from the disk; sessions that read it may quote it")
	case r.Text == "":
		fmt.Fprintln(w, "deleted from the ledger and erased from the disk; summaries and memories may quote it")
	default:
		left := "no copies remain"
		if n := len(f.Left); n > 0 {
			left = chars.Plural(n, "place") + " left"
		}
		fmt.Fprintf(w, "searched %s of the ledger: %s\n", chars.Plural(f.Searched, "file"), left)
		for _, l := range f.Left {
			fmt.Fprintf(w, "  %s: %s\n", columns.OneLine(l.Place), columns.OneLine(l.Why))
		}
		if len(f.Counts) > 0 {
			fmt.Fprintln(w, "also erased from the disk; there is no need for `ctxledger ledger gc`")
		}
	}
	printOutside(w, f)
}

// printOutside names the places that forgetting does not reach.
func printOutside(w io.Writer, f ledger.Forgotten) {
	said := ""
	for _, l := range slices.SortedStableFunc(slices.Values(f.Outside), byReason) {
		if l.Why != said {
			fmt.Fprintf(w, "not touched: %s\n", columns.OneLine(l.Why))
			said = l.Why
		}
		fmt.Fprintf(w, "  %s\n", columns.OneLine(l.Place))
	}
}
