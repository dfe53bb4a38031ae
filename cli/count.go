package cli

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
)

// maxCounted bounds one file that is counted, in bytes.
const maxCounted = 1 << 30

// counted is what the count command answers.
type counted struct {
	Encoding string        `json:"encoding"`
	Exact    bool          `json:"exact"`
	Files    []countedFile `json:"files"`
	Total    int           `json:"total"`
}

type countedFile struct {
	Path   string `json:"path"`
	Tokens int    `json:"tokens"`
	Bytes  int64  `json:"bytes"`
}

func (a *app) countCommand() *cobra.Command {
	var model, encoding string
	cmd := &cobra.Command{
		Use:     "count [--model M | --encoding E] [PATH…|-]",
		Short:   "Count the tokens of files, directories or standard input",
		Long:    "Counts are exact for the encodings o200k_base and cl100k_base and the models that use them; for other\nmodels they are estimates, marked ≈. Binary files and .git are left out. No daemon is started.",
		Example: "  ctxledger count README.md docs\n  git diff | ctxledger count - --model claude-sonnet-4-5",
		RunE: func(cmd *cobra.Command, paths []string) error {
			if model != "" && encoding != "" {
				return usageError{errors.New("give --model or --encoding, not both")}
			}
			c, err := counterOf(model, encoding)
			if err != nil {
				return err
			}
			return a.count(c, paths)
		},
	}
	cmd.Flags().StringVar(&model, "model", "", "count as this model does")
	cmd.Flags().StringVar(&encoding, "encoding", "", "o200k_base (default) or cl100k_base")
	return cmd
}

// counter counts a text for a model or an encoding.
type counter struct {
	name  string
	exact bool
	count func(text []byte) int
}

func counterOf(model, encoding string) (counter, error) {
	if model != "" {
		m := tokens.For(model)
		return counter{string(m.Encoding()), m.Of(0).Exact || m.Count("").Exact, func(t []byte) int { return m.Count(string(t)).N }}, nil
	}
	if encoding == "" {
		encoding = string(tokens.O200kBase)
	}
	e, err := tokens.ParseEncoding(encoding)
	if err != nil {
		return counter{}, usageError{err}
	}
	return counter{string(e), true, e.Count}, nil
}

// count counts every path; what cannot be read is named, the rest goes on, and the command fails.
func (a *app) count(c counter, paths []string) error {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	out := counted{Encoding: c.name, Exact: c.exact, Files: []countedFile{}}
	var failed error
	for _, p := range paths {
		if err := a.countPath(c, p, &out); err != nil {
			a.say("%s", err)
			failed = fault.New(fault.Invalid, "cli.count", "not everything could be counted")
		}
	}
	err := a.answer(out, func(w io.Writer) {
		t := newTable(">TOKENS", ">BYTES", "PATH")
		for _, f := range out.Files {
			t.add(tokens.Count{N: f.Tokens, Exact: c.exact}.String(), size(f.Bytes), f.Path)
		}
		if len(out.Files) != 1 {
			t.add(tokens.Count{N: out.Total, Exact: c.exact}.String(), "", "total")
		}
		t.print(w)
	})
	return errors.Join(err, failed)
}

func (a *app) countPath(c counter, path string, out *counted) error {
	if path == "-" {
		return out.read(c, "-", a.In)
	}
	abs := path
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(a.Env.Dir, abs)
	}
	return filepath.WalkDir(abs, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fault.Wrap(fault.NotFound, "cli.count", err)
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		f, err := os.Open(p)
		if err != nil {
			return fault.Wrap(fault.Denied, "cli.count", err)
		}
		defer f.Close() //nolint:errcheck // opened for reading
		shown := path
		if rel, err := filepath.Rel(abs, p); err == nil && rel != "." {
			shown = filepath.Join(path, rel)
		}
		if err := out.read(c, shown, f); err != nil {
			a.say("%s", err)
		}
		return nil
	})
}

// read counts one text. Errors: invalid for a binary one, too_large.
func (o *counted) read(c counter, name string, r io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(r, maxCounted+1))
	if err != nil {
		return fault.Wrap(fault.Unavailable, "cli.count", err)
	}
	if len(text) > maxCounted {
		return fault.New(fault.TooLarge, "cli.count", "%s has more than %s: not counted", name, size(maxCounted))
	}
	const sniff = 8 << 10
	if bytes.IndexByte(text[:min(len(text), sniff)], 0) >= 0 {
		return fault.New(fault.Invalid, "cli.count", "%s is binary: not counted", name)
	}
	n := c.count(text)
	o.Files = append(o.Files, countedFile{name, n, int64(len(text))})
	o.Total += n
	return nil
}
