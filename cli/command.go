package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ctxledger.dev/internal/fault"
)

// command is one command: all that its help, its completion, the tests and its run need to know. Options that it binds live
// in the function that returns it, so that each run has its own.
type command struct {
	name string // its words, as in "memory save"; "" is the program without a command
	// args are its arguments as the help writes them: one in brackets may be left out, and of one with "…" there may be
	// several. Shells complete an argument by its name (complete.go). "-- " begins them where options have to come before.
	args    string
	short   string
	long    string // paragraphs, which the help folds
	example string // one command a line; lab/ctxledger runs each
	rank    rank
	near    []string // words that people try for it
	// was has the commands of earlier versions that did the same. One with "" took the same arguments: for this release it
	// runs, after a note that names this command. Of the others an error names what is typed now.
	was  map[string]string
	does effect
	undo string // for does: how it is undone, or why it destroys nothing
	// everywhere says that it does the same in every workspace: --workspace is wrong use.
	everywhere bool
	json       []any // a value of each type that it can answer as JSON

	flags func(f *pflag.FlagSet)
	check func(a *action, args []string) error // refuses wrong use before anything is opened; nil: nothing to refuse
	// ask runs a command that needs the ledger, at one that needs only to know the workspace, and run one that needs neither. A
	// command with none of them only groups others.
	ask, at, run runner
}

// rank says where the help shows a command.
type rank int

// The ranks.
const (
	others   rank = iota // by its name alone at the end of the first page, or on the page of its group
	everyday             // on the first page
	hidden               // by its name alone on the first page: programs call it
)

// effect is what a command can do to what a person has stored.
type effect string

// The effects.
const (
	keeps    effect = "keeps"    // destroys nothing that a person has stored
	undoable effect = "undoable" // another command brings it back
	asks     effect = "asks"     // destroys it: lists it, asks, and has --yes and --dry-run
)

// runner runs a command.
type runner func(ctx context.Context, a *action, args []string) error

// shows makes the function of a command that asks once and prints the answer.
func shows[T any](ask func(ctx context.Context, a *action, args []string) (T, error),
	text func(a *action, w io.Writer, v T),
) runner {
	return func(ctx context.Context, a *action, args []string) error {
		v, err := ask(ctx, a, args)
		if err != nil {
			return err
		}
		return a.answer(v, func(w io.Writer) { text(a, w, v) })
	}
}

// root returns the program with the commands that the arguments may name.
func (a *action) root() *cobra.Command {
	all := commands()
	root := all[0].cobra(a)
	root.Use, root.Version = "ctxledger", a.Version
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetVersionTemplate("ctxledger {{.Version}}\n")
	root.Flags().BoolP("version", "v", false, "print the version")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(a, cmd, err) })
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 {
			a.unknown = unknownCommand(a, cmd, args) // a help has no error
			return
		}
		help(cmd.OutOrStdout(), cmd)
	})
	f := root.PersistentFlags()
	f.StringVar(&a.workspace, "workspace", "", "use the workspace `DIRECTORY` (default: this one)")
	f.BoolVar(&a.json, "json", false, "print the answer as JSON")
	f.BoolVar(&a.inProcess, "in-process", false, "open the ledger in this process, without its daemon")
	for _, c := range meant(withEarlier(all[1:]), a.Args) {
		c.into(root, a)
	}
	root.SetHelpCommand(helpCommand(a))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.DisableFlagsInUseLine = counts(a, 0, 0), true
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
			c.Long = "Prints a script with which a shell completes commands, options, sessions and handles. The help of " +
				"each shell says where the script goes."
			for _, shell := range c.Commands() {
				shell.Args, shell.Short = counts(a, 0, 0), "The script for "+shell.Name()
			}
		}
	}
	return root
}

// withEarlier returns the commands, and behind them those that still run by an earlier name.
func withEarlier(all []command) []command {
	for _, c := range all {
		for was, typed := range c.was {
			if typed == "" {
				all = append(all, c.before(was))
			}
		}
	}
	return all
}

// meant returns the commands that the arguments may mean: those of the first word, if it begins one. A call does not wait
// until all the others are made.
func meant(all []command, args []string) []command {
	if slices.Equal(args, []string{"--version"}) {
		return nil
	}
	first := strings.Join(args[:min(len(args), 1)], "") + " "
	others := func(c command) bool { return !strings.HasPrefix(c.name+" ", first) }
	if those := slices.DeleteFunc(slices.Clone(all), others); len(those) > 0 {
		return those
	}
	return all
}

// shells are those that complete, as the library knows them.
var shells = []string{"bash", "fish", "powershell", "zsh"}

// into adds the command to its group, which is there, or to the program.
func (c command) into(root *cobra.Command, a *action) {
	words := strings.Fields(c.name)
	group, _, err := root.Find(words[:len(words)-1])
	if err != nil {
		group = root // a test of the table refuses it
	}
	group.AddCommand(c.cobra(a))
}

// cobra returns the command as the library runs it.
func (c command) cobra(a *action) *cobra.Command {
	words := append([]string{""}, strings.Fields(c.name)...)
	least, most := c.takes()
	cmd := &cobra.Command{
		Use: strings.TrimSpace(words[len(words)-1] + " " + c.args), Short: c.short, Long: c.long, Example: c.example,
		SuggestFor: c.near, Hidden: c.rank == hidden, Args: counts(a, least, most),
		DisableFlagsInUseLine: true,
	}
	if c.flags != nil {
		c.flags(cmd.Flags())
	}
	if session := ""; strings.HasPrefix(c.args, "[SESSION") && cmd.Flags().Lookup("session") == nil {
		cmd.Flags().StringVar(&session, "session", "", "the same as the argument `SESSION`")
		_ = cmd.Flags().MarkHidden("session") // it is there
	}
	completions(a, cmd, c.args)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return c.start(cmd, a, args) }
	return cmd
}

// start runs the command.
func (c command) start(cmd *cobra.Command, a *action, args []string) error {
	a.flags = cmd.Flags()
	if f := a.flags.Lookup("session"); f != nil && f.Hidden && f.Changed {
		if len(args) > 0 {
			return misuse("SESSION and --session cannot be used together")
		}
		args = []string{f.Value.String()}
	}
	if c.check != nil {
		if err := c.check(a, args); err != nil {
			return err
		}
	}
	switch {
	case c.run != nil:
		if err := c.checkWorkspace(a); err != nil {
			return err
		}
		return c.run(cmd.Context(), a, args)
	case c.ask != nil:
		if err := a.open(cmd.Context()); err != nil {
			return err
		}
		return c.ask(cmd.Context(), a, args)
	case c.at == nil:
		return cmd.Help()
	}
	var err error
	if a.place, err = a.find(); err != nil {
		return err
	}
	return c.at(cmd.Context(), a, args)
}

// checkWorkspace refuses a --workspace that is no directory, and one that the command has no use for.
func (c command) checkWorkspace(a *action) error {
	if a.workspace == "" {
		return nil
	}
	if c.everywhere {
		return misuse("`ctxledger %s` does the same in every workspace: leave out --workspace", c.name)
	}
	if _, err := a.find(); !fault.Is(err, fault.Unavailable) { // there may be no place for a ledger
		return err
	}
	return nil
}

// before returns the command as earlier versions called it.
func (c command) before(was string) command {
	check, typed := c.check, c.typed()
	c.name, c.rank, c.near = was, hidden, nil
	c.check = func(a *action, args []string) error {
		a.say("`ctxledger %s` is now `%s`", was, typed)
		if check == nil {
			return nil
		}
		return check(a, args)
	}
	return c
}

// takes returns how many arguments the command takes; most is -1 where there may be any number.
func (c command) takes() (least, most int) {
	for _, word := range strings.Fields(strings.TrimPrefix(c.args, "-- ")) {
		if !strings.HasPrefix(word, "[") {
			least++
		}
		if most++; strings.Contains(word, "…") {
			return least, -1
		}
	}
	return least, most
}

// typed returns the command as it is typed.
func (c command) typed() string { return strings.TrimSpace("ctxledger " + c.name + " " + c.args) }

// now returns what is typed today for a command of an earlier version that took other arguments; "": it was none.
func now(was string) string {
	for _, c := range commands() {
		if typed := c.was[was]; typed != "" {
			return "ctxledger " + typed
		}
	}
	return ""
}

// answers are the types that a command can answer as JSON.
func answers(values ...any) []any { return values }

// Command is what the harnesses in lab, which have a row for each command, know of one.
type Command struct {
	Name    string // "": the program without a command
	Args    string // as its help writes them
	Example string // a command line a line
	JSON    []any  // a value of each type that it can answer
}

// Commands returns every command, hidden ones included.
func Commands() (all []Command) {
	for _, c := range commands() {
		all = append(all, Command{c.name, c.args, c.example, c.json})
	}
	return all
}
