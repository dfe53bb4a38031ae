package cli

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/cli/counttree"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
	"ctxledger.dev/tokens/filecount"
)

func (a *app) countCommand() *cobra.Command {
	var model, encoding string
	var tree bool
	cmd := &cobra.Command{
		Use:   "count [--model M | --encoding E] [--tree] [PATH…|-]",
		Short: "Count the tokens of files, directories or standard input",
		Long: "Counts are exact for the encodings o200k_base and cl100k_base and the models that use them. For\n" +
			"other models they are estimates, marked ≈, with an upper bound. Without a path it counts the\n" +
			"working directory. --tree shows the largest directories and files instead of every file.\n\n" +
			"In directories it skips .git, links and what git ignores, by the rules of the repository around\n" +
			"them or, without one, of the .gitignore files in them. (Unlike git, it also skips ignored files\n" +
			"that are tracked.) A path on the command line is counted even if it is ignored. Binary files,\n" +
			"those with a NUL byte in their first 8 KB, are reported and skipped. Invalid UTF-8 counts as\n" +
			"U+FFFD. A path that cannot be read is reported, the rest is counted, and the exit status is 1. No\n" +
			"ledger is opened and no daemon started, but a running one is asked for what it has learned about\n" +
			"the model.",
		Example: "  ctxledger count README.md docs\n" +
			"  ctxledger count --tree\n" +
			"  git diff | ctxledger count - --model claude-sonnet-4-5",
		Args: a.args(0, -1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if i := slices.Index(paths, "-"); i >= 0 && slices.Contains(paths[i+1:], "-") {
				return misuse("give - once: standard input can be read only once")
			}
			c, err := a.counterOf(cmd.Context(), model, encoding)
			if err != nil {
				return err
			}
			if err := a.sayUnknown(model, c); err != nil {
				return err
			}
			if len(paths) == 0 {
				paths = []string{"."}
			}
			return a.count(cmd.Context(), c, paths, tree)
		},
	}
	cmd.Flags().StringVar(&model, "model", "", "count as this model `M` does")
	cmd.Flags().StringVar(&encoding, "encoding", "", "count in encoding `E`: o200k_base (default) or cl100k_base")
	cmd.Flags().BoolVar(&tree, "tree", false, "show the largest directories and files as a tree")
	return cmd
}

// counted is what the count command answers.
type counted struct {
	Encoding string            `json:"encoding"`
	Model    string            `json:"model,omitempty"`
	Exact    bool              `json:"exact"`
	Files    []countedFile     `json:"files"`
	Total    int               `json:"total"`
	Upper    int               `json:"upper,omitempty"` // bound of the total where it is not exact
	Places   []counttree.Place `json:"places,omitempty"`
	Skipped  []uncounted       `json:"skipped,omitempty"` // left out for what they hold
	Failed   []uncounted       `json:"failed,omitempty"`
}

// countedFile is one text that was counted.
type countedFile struct {
	Path    string `json:"path"`
	Tokens  int    `json:"tokens"`
	Bytes   int64  `json:"bytes"`
	Invalid bool   `json:"invalid_utf8,omitempty"`
}

// uncounted is a path that was not counted.
type uncounted struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// count counts every path. Paths that cannot be read are reported, and the command then fails after the count.
func (a *app) count(ctx context.Context, c tokens.Counter, paths []string, tree bool) error {
	t, err := a.countFiles(ctx, c, paths)
	if err != nil {
		return err
	}
	out, all := t.counted()
	var root *counttree.Tree
	if tree {
		root = counttree.Grow(t.texts, tokens.Count{Exact: c.Exact()})
		out.Places = root.Places()
	}
	err = a.answer(out, func(w io.Writer) {
		if tree {
			width, _ := screen(a.Out)
			root.Print(w, a.newTable, a.colours(), width)
		} else {
			a.printCounted(w, out)
		}
		if !all.Exact && len(out.Files) > 0 {
			printBound(w, all)
		}
	})
	if err != nil {
		return err
	}
	return a.sayUncounted(t)
}

// counted sums up what was counted.
func (t *counting) counted() (counted, tokens.Count) {
	all := tokens.Count{Exact: t.counter.Exact()}
	out := counted{Encoding: t.counter.Encoding().String(), Model: t.counter.Model(), Exact: all.Exact,
		Files: []countedFile{}}
	for _, x := range t.texts {
		switch {
		case errors.Is(x.Err, filecount.ErrBinary):
			out.Skipped = append(out.Skipped, uncounted{x.Name, x.Err.Error()})
		case x.Err != nil:
			out.Failed = append(out.Failed, uncounted{x.Name, reason(x.Err)})
		default:
			out.Files = append(out.Files, countedFile{x.Name, x.Count.N, x.Read.Bytes, x.Read.Invalid})
			all.N += x.Count.N
			all.Upper += x.Count.Upper
		}
	}
	out.Total = all.N
	if !all.Exact {
		out.Upper = all.Upper
	}
	return out, all
}

func (a *app) printCounted(w io.Writer, c counted) {
	t := a.newTable(">TOKENS", ">BYTES", "PATH")
	var bytes int64
	for _, f := range c.Files {
		t.AddSafe(tokens.Count{N: f.Tokens, Exact: c.Exact}.String(), chars.Commas(f.Bytes), columns.OneLine(f.Path))
		bytes += f.Bytes
	}
	if len(c.Files) != 1 {
		t.Add(tokens.Count{N: c.Total, Exact: c.Exact}.String(), chars.Commas(bytes), "total")
	}
	t.Print(w)
}
