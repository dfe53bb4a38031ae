package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/words"
	"ctxledger.dev/sessions"
)

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// maxUsage bounds what is said of wrong use, in characters: it repeats the arguments.
const maxUsage = 400

// usageError marks wrong use of the command line.
type usageError struct {
	error
	hint string // "": the help of the command
}

// misuse returns a usageError.
func misuse(format string, args ...any) error { return usageError{error: fmt.Errorf(format, args...)} }

// atLeast refuses a number below least that was given with a flag.
func atLeast(least, got int, flag string) error {
	if got < least {
		return misuse("%s must be at least %d, not %d", flag, least, got)
	}
	return nil
}

// counts checks how many arguments a command got; most < 0: no limit. Too few or too many are wrong use.
func counts(a *action, least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		_, takes, _ := strings.Cut(cmd.Use, " ")
		switch n := len(args); {
		case n < least:
			return misuse("an argument is missing: %s %s", cmd.CommandPath(), takes)
		case n <= most || most < 0:
			return nil
		case cmd.HasSubCommands():
			return unknownCommand(a, cmd, args)
		case cmd.Flags().Lookup("body") != nil:
			return usageError{fmt.Errorf("%s takes %s, but got %q as well", cmd.CommandPath(), takes, args[most]),
				"the text goes after --body, or to standard input"}
		case most == 0:
			return misuse("%s takes no argument, but got %q", cmd.CommandPath(), args[0])
		}
		return misuse("%s takes %s, but got %q as well", cmd.CommandPath(), takes, args[most])
	}
}

// flagError is the error for wrong flags. The library cuts an unknown flag at its first equals sign, which may be
// inside a secret: flagError masks the whole argument before it cuts.
func flagError(a *action, cmd *cobra.Command, err error) error {
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 {
		return unknownCommand(a, cmd, args) // the flag is one of the command that was meant
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		f := missing.GetFlag()
		value, text := pflag.UnquoteUsage(f)
		return usageError{fmt.Errorf("a value is missing: --%s %s", f.Name, value), "--" + f.Name + ": " + text}
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = fmt.Errorf("invalid value %q for --%s: %w", bad.GetValue(), bad.GetFlag().Name, bad.Unwrap())
	}
	said, of, _ := strings.Cut(err.Error(), ": strconv.") // the rest names functions of Go
	switch {
	case strings.HasSuffix(of, strconv.ErrRange.Error()):
		said += ": the number is too large"
	case strings.HasPrefix(of, "ParseInt"):
		said += ": it takes a whole number"
	case strings.HasPrefix(of, "ParseBool"):
		said += ": it takes no value"
	}
	if none, ok := errors.AsType[*pflag.NotExistError](err); ok && none.GetSpecifiedShortnames() != "" {
		said = "unknown flag: -" + none.GetSpecifiedName()
	}
	if name, ok := strings.CutPrefix(said, "unknown flag: "); ok {
		said = "unknown option: " + name
		for _, arg := range a.Args {
			if strings.HasPrefix(arg, name+"=") {
				name, _, _ = strings.Cut(a.masks.String(arg), "=")
				said = "unknown option: " + name
			}
		}
		_, within, _ := strings.Cut(cmd.CommandPath()+" ", " ")
		if typed := now(within + name); typed != "" {
			return usageError{fmt.Errorf("%s", said), "it is `" + typed + "`"}
		}
		if like := likeFlag(cmd, name); like != "" {
			return usageError{fmt.Errorf("%s", said), "did you mean `" + like + "`?"}
		}
	}
	return misuse("%s", said)
}

// likeFlag returns the option of a command that a wrong one may mean; "": there is none.
func likeFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return alike(name, names)
}

// alike returns which of some names a wrong one may mean, as it begins so or differs in one or two letters; "": none.
func alike(wrong string, names []string) (like string) {
	best := min(3, (len(wrong)+1)/2)
	for _, name := range names {
		d := words.Distance(chars.First(wrong, maxUsage), name)
		if wrong != "" && strings.HasPrefix(name, wrong) {
			d = min(d, 1)
		}
		if d < best {
			best, like = d, name
		}
	}
	return like
}

// unknownCommand is the error for args that name no command below parent.
func unknownCommand(a *action, parent *cobra.Command, args []string) error {
	name := strings.Join(args[:min(len(args), 1)], "")
	_, within, _ := strings.Cut(parent.CommandPath()+" ", " ")
	err := usageError{fmt.Errorf("unknown command %q", within+name),
		"`" + parent.CommandPath() + " --help` lists the commands"}
	if typed := now(within + name); typed != "" {
		err.hint = "it is `" + typed + "`"
		return err
	}
	if name == "version" && !parent.HasParent() {
		err.hint = "it is `ctxledger --version`"
	} else if parent.Name() == "completion" {
		err.hint = "the shells are " + strings.Join(shells, ", ")
		if like := alike(name, shells); like != "" {
			err.hint = "did you mean " + like + "? " + err.hint
		}
	} else if takes := takesID[parent.Name()]; takes != "" && isID(name) {
		err.hint = "did you mean `ctxledger " + takes + " " + name + "`?"
	} else if like := suggestion(parent, name); like != "" {
		err.hint = "did you mean `" + parent.CommandPath() + " " + like + "`?"
	}
	return err
}

// takesID says what takes an id, of groups that do not.
var takesID = map[string]string{"artifact": "artifact read", "context": "context --session"}

// isID reports whether a word looks like an id of ours.
func isID(word string) bool {
	return len(word) >= sessions.MinPrefix && strings.Trim(word, "0123456789abcdef") == ""
}

// suggestion returns the command below parent that a wrong name may mean; "": there is none. Words that the MCP tools
// use for the same thing come before similar names.
func suggestion(parent *cobra.Command, name string) string {
	for _, c := range parent.Commands() {
		if slices.Contains(c.SuggestFor, name) {
			return c.Name()
		}
	}
	lastWord := func(c command) bool { return strings.HasSuffix(c.name, " "+name) }
	otherWord := func(c command) bool { return slices.Contains(c.near, name) && strings.Contains(c.name, " ") }
	for _, meant := range []func(command) bool{lastWord, otherWord} {
		if i := slices.IndexFunc(commands(), meant); i >= 0 && !parent.HasParent() {
			return commands()[i].name
		}
	}
	parent.SuggestionsMinimumDistance = 2
	if like := parent.SuggestionsFor(name); len(like) > 0 {
		return like[0]
	}
	return ""
}

// report prints what went wrong in a command, if anything did, and returns the exit status.
func (a *action) report(cmd *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	if ended, ok := errors.AsType[agentEnded](err); ok {
		return int(ended)
	}
	wrong, misused := errors.AsType[usageError](err)
	for _, e := range several(err) {
		text := chars.ShortQuotes(a.masks.String(e.Error()))
		if misused {
			text = chars.Short(text, maxUsage)
		}
		a.say("%s", text)
	}
	if misused {
		if wrong.hint == "" {
			wrong.hint = fmt.Sprintf("`%s --help` shows how it is used", cmd.CommandPath())
		}
		a.hint("%s", wrong.hint)
		return exitUsage
	}
	for hint := range strings.Lines(fault.HintOf(err)) {
		a.hint("%s", strings.TrimSpace(hint))
	}
	if fault.Is(err, fault.Internal) {
		a.hint("this looks like a bug in ctxledger: please report it with the command that you ran")
	}
	return exitFailed
}

// say writes one line to standard error, prefixed with the program's name. Stored text in it cannot start a line of
// its own.
func (a *action) say(format string, args ...any) {
	fmt.Fprintf(a.messages, "ctxledger: %s\n", columns.OneLine(strings.TrimSpace(fmt.Sprintf(format, args...))))
}

// several returns the errors that were joined in one, in their order.
func several(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, several(e)...)
	}
	return out
}

// hint writes what the reader can do.
func (a *action) hint(format string, args ...any) {
	fmt.Fprintf(a.messages, "  hint: %s\n", a.line(a.self.in(fmt.Sprintf(format, args...)), 1000))
}
