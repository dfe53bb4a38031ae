package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
)

func (a *app) countCommand() *cobra.Command {
	var model, encoding string
	cmd := &cobra.Command{
		Use:   "count [--model M | --encoding E] [PATH…|-]",
		Short: "Count the tokens of files, directories or standard input",
		Long: "Counts are exact for the encodings o200k_base and cl100k_base and the models that use them; for other\n" +
			"models they are estimates, marked ≈. Without a path it counts the working directory. In directories,\n" +
			"binary files, links and .git are left out. No ledger is opened and no daemon started, but one\n" +
			"that runs is asked for what it has learnt of the model.",
		Example: "  ctxledger count README.md docs\n  git diff | ctxledger count - --model claude-sonnet-4-5",
		Args:    a.args(0, -1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if model != "" && encoding != "" {
				return misuse("give --model or --encoding, not both")
			}
			c, err := a.counterOf(cmd.Context(), model, encoding)
			if err != nil {
				return err
			}
			return a.count(cmd.Context(), c, paths)
		},
	}
	cmd.Flags().StringVar(&model, "model", "", "count as this model `M` does")
	cmd.Flags().StringVar(&encoding, "encoding", "", "count in encoding `E`: o200k_base (default) or cl100k_base")
	return cmd
}

// counter counts a text for a model or an encoding.
type counter struct {
	encoding *tokens.Encoding
	exact    bool
	count    func(text []byte) int
}

func (a *app) counterOf(ctx context.Context, model, encoding string) (counter, error) {
	if model != "" {
		m := a.calibrated(ctx, tokens.For(model))
		return counter{m.Encoding(), m.Count("").Exact, func(t []byte) int { return m.Count(string(t)).N }}, nil
	}
	if encoding == "" {
		encoding = tokens.O200kBase.String()
	}
	e, err := tokens.ParseEncoding(encoding)
	if err != nil {
		return counter{}, usageError{error: err}
	}
	return counter{e, true, e.Count}, nil
}

// counted is what the count command answers.
type counted struct {
	Encoding string        `json:"encoding"`
	Exact    bool          `json:"exact"`
	Files    []countedFile `json:"files"`
	Total    int           `json:"total"`
}

// countedFile is one text that was counted.
type countedFile struct {
	Path   string `json:"path"`
	Tokens int    `json:"tokens"`
	Bytes  int64  `json:"bytes"`
}

// count counts every path; what cannot be read is named, the rest goes on, and the command fails.
func (a *app) count(ctx context.Context, c counter, paths []string) error {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	t := tally{app: a, counter: c, ctx: ctx, counted: counted{Encoding: c.encoding.String(), Exact: c.exact, Files: []countedFile{}}}
	for _, p := range paths {
		t.path(p)
	}
	if err := a.answer(t.counted, func(w io.Writer) { a.printCounted(w, t.counted) }); err != nil {
		return err
	}
	if t.binary > 0 {
		a.say("%s left out", plural(t.binary, "binary file"))
	}
	if t.failed > 0 {
		return fault.New(fault.Invalid, "cli.count", "%s could not be counted", plural(t.failed, "path"))
	}
	return nil
}

func (a *app) printCounted(w io.Writer, c counted) {
	t := a.newTable(">TOKENS", ">BYTES", "PATH")
	var bytes int64
	for _, f := range c.Files {
		t.add(tokens.Count{N: f.Tokens, Exact: c.Exact}.String(), commas(f.Bytes), f.Path)
		bytes += f.Bytes
	}
	if len(c.Files) != 1 {
		t.add(tokens.Count{N: c.Total, Exact: c.Exact}.String(), commas(bytes), "total")
	}
	t.print(w)
}
