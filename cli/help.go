package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is how wide a help is, in columns: it is read in any terminal.
const helpWidth = 80

// help prints the page of a command, and where the pages are that it names.
func help(w io.Writer, cmd *cobra.Command) {
	var page strings.Builder
	helpPage(&page, cmd)
	if own, err := os.Executable(); err == nil && strings.Contains(page.String(), "docs/") {
		if dir := docsOf(own); dir != "" {
			fmt.Fprintf(&page, "\ndocs/ is %s\n", dir)
		}
	}
	fmt.Fprint(w, page.String())
}

// docsOf returns where the pages are that came along with the program at a path: in an archive's place, or that of a checkout.
func docsOf(own string) string {
	if real, err := filepath.EvalSymlinks(own); err == nil {
		own = real
	}
	prefix := filepath.Dir(filepath.Dir(own))
	for _, below := range []string{"share/doc/ctxledger/docs", "docs"} {
		dir := filepath.Join(prefix, filepath.FromSlash(below))
		if st, err := os.Stat(filepath.Join(dir, "configuration.md")); err == nil && st.Mode().IsRegular() {
			return dir
		}
	}
	return ""
}

func helpPage(w io.Writer, cmd *cobra.Command) {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		wrapped(w, "", paragraph, helpWidth)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "Usage:\n  %s\n", usage(cmd))
	if cmd.HasParent() {
		rows := listed(name, others)
		if len(rows) == 0 { // a group of the library
			for _, c := range cmd.Commands() {
				rows = append(rows, [2]string{c.Name(), c.Short})
			}
		}
		section(w, "Commands", rows)
	} else {
		section(w, "Commands", listed(name, everyday))
		more := listed(name, others)
		for _, c := range cmd.Commands() {
			if slices.Contains([]string{"completion", "help"}, c.Name()) { // of the library
				more = append(more, [2]string{c.Name(), c.Short})
			}
		}
		slices.SortFunc(more, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
		section(w, "More commands", more)
		var names []string
		for _, row := range listed(name, hidden) {
			names = append(names, row[0])
		}
		fmt.Fprintf(w, "\nFor programs:\n  %s\n", strings.Join(names, ", "))
	}
	section(w, "Options", options(cmd.LocalNonPersistentFlags()))
	if !cmd.HasParent() {
		section(w, "Global options", options(cmd.PersistentFlags()))
		fmt.Fprintln(w, "\nExit status: 0 done, or nothing to do; 1 failed; 2 usage error")
	}
	fmt.Fprint(w, globals(name))
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n  %s\n", strings.ReplaceAll(cmd.Example, "\n", "\n  "))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n`%s COMMAND --help` shows how to use it.\n", cmd.CommandPath())
	}
}

// globals names the global options that a command takes; "" for the first page, which lists them, and for the library's.
func globals(name string) string {
	for _, c := range commands() {
		switch {
		case c.name != name || name == "":
		case c.everywhere:
			return "\nGlobal options: -h, --json\n"
		default:
			return "\nGlobal options: -h, --json, --workspace DIRECTORY, --in-process\n"
		}
	}
	return ""
}

// usage returns how a command is typed.
func usage(cmd *cobra.Command) string {
	line := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		line += " [COMMAND]"
	}
	if len(options(cmd.LocalNonPersistentFlags())) == 0 {
		return line
	}
	if before, args, ok := strings.Cut(line, " -- "); ok {
		return before + " [OPTIONS] -- " + args
	}
	return line + " [OPTIONS]"
}

// listed returns the commands of a rank that are directly below one, with what they do.
func listed(below string, of rank) (rows [][2]string) {
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(words) > 0 && strings.Join(words[:len(words)-1], " ") == below && c.rank == of {
			rows = append(rows, [2]string{words[len(words)-1], c.short})
		}
	}
	return rows
}

// options returns the options of a set with what they do.
func options(f *pflag.FlagSet) (out [][2]string) {
	f.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, text := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value != "" && f.Value.Type() != "bool" {
			name += " " + value
		}
		if f.Value.Type() == "int" && f.DefValue != "0" {
			text += " (default " + f.DefValue + ")"
		}
		if f.Name != "help" {
			out = append(out, [2]string{name, text})
		}
	})
	return out
}

// section prints a list of names with what they do; nothing for an empty one.
func section(w io.Writer, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	widest := 0
	for _, r := range rows {
		widest = max(widest, len(r[0]))
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, r := range rows {
		fmt.Fprintf(w, "  %-*s  %s\n", widest, r[0], r[1])
	}
}

// helpCommand is like the library's, but naming a command that does not exist is wrong use.
func helpCommand(a *action) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND…]", Short: "Show how to use a command", Example: "ctxledger help artifact read",
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(a, found, rest)
			}
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string,
		) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			if found, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range found.Commands() {
					if c.IsAvailableCommand() {
						names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
