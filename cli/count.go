package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/cli/pages"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
	"ctxledger.dev/tokens/filecount"
)

func countCommand() command {
	var model, encoding string
	var tree bool
	return command{
		name: "count", args: "[PATH…|-]", rank: everyday,
		short: "Count the tokens of files, directories or standard input",
		long: "Counts are exact for the encodings o200k_base and cl100k_base and the models that use them. For " +
			"other models they are estimates, marked ≈, with an upper bound. Without a path it counts the " +
			"working directory.\n\nIn directories it skips .git, links, and what the repository's ignore " +
			"rules exclude; outside a repository, the .gitignore files found there apply. Unlike git, it " +
			"also skips ignored files that are tracked. A path named on the command line is counted even if " +
			"it is ignored. Binary files (a NUL byte in the first 8 KB) are reported and skipped. Invalid " +
			"UTF-8 counts as U+FFFD. A path that cannot be read is reported, the others are counted, and the " +
			"exit status is 1. No ledger is opened and no daemon started; a running daemon is asked for what " +
			"it has learned about the model.",
		example: "ctxledger count README.md docs\nctxledger count --tree\n" +
			"git log -1 | ctxledger count - --model claude-sonnet-4-5",
		does: keeps, json: answers(counted{}),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&model, "model", "", "count for `MODEL`")
			f.StringVar(&encoding, "encoding", "", "count in `ENCODING`: o200k_base (default) or cl100k_base")
			f.BoolVar(&tree, "tree", false, "show the largest directories and files as a tree")
		},
		check: func(_ *action, paths []string) error {
			if i := slices.Index(paths, "-"); i >= 0 && slices.Contains(paths[i+1:], "-") {
				return misuse("give - once: standard input can be read only once")
			}
			return nil
		},
		run: func(ctx context.Context, a *action, paths []string) error {
			c, err := counterOf(ctx, a, model, encoding)
			if err != nil {
				return err
			}
			if err := sayUnknown(a, model, c); err != nil {
				return err
			}
			if len(paths) == 0 {
				paths = []string{"."}
			}
			return countPaths(ctx, a, c, paths, tree)
		},
	}
}

// counted is what the count command answers.
type counted struct {
	Encoding string        `json:"encoding"`
	Model    string        `json:"model,omitempty"`
	Exact    bool          `json:"exact"`
	Files    []countedFile `json:"files"`
	Total    int           `json:"total"`
	Upper    int           `json:"upper,omitempty"` // bound of the total where it is not exact
	Places   []pages.Place `json:"places,omitempty"`
	Skipped  []uncounted   `json:"skipped,omitempty"` // left out for what they hold
	Failed   []uncounted   `json:"failed,omitempty"`
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

// countPaths counts every path. Paths that cannot be read are reported, and the command then fails after the count.
func countPaths(ctx context.Context, a *action, c tokens.Counter, paths []string, tree bool) error {
	t, err := countFiles(ctx, a, c, paths)
	if err != nil {
		return err
	}
	out, all := t.counted()
	var root *pages.Tree
	if tree {
		root = pages.Grow(t.texts, tokens.Count{Exact: c.Exact()})
		out.Places = root.Places()
	}
	err = a.answer(out, func(w io.Writer) {
		if tree {
			a.page(w).Tree(root)
		} else {
			printCounted(a, w, out)
		}
		switch {
		case len(out.Files) > 0 && !all.Exact:
			printBound(w, all)
		case out.Model == "":
			fmt.Fprintf(w, "counted in %s; --model MODEL counts for a model\n", out.Encoding)
		}
	})
	if err != nil {
		return err
	}
	return sayUncounted(a, t)
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

func printCounted(a *action, w io.Writer, c counted) {
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
