package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/cli/pages"
	"ctxledger.dev/config"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
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
			"workspace that --workspace names, or the working directory.\n\nIn directories it skips .git, links, and what the repository's ignore " +
			"rules exclude; outside a repository, the .gitignore files found there apply. Unlike git, it " +
			"also skips ignored files that are tracked. A path named on the command line is counted even if " +
			"it is ignored. Text in UTF-16 needs its byte order mark, which never counts. Binary files (a NUL byte " +
			"in the first 8 KB) are reported and skipped. Invalid UTF-8 counts as U+FFFD. A path that cannot be read is reported, the others are counted, and the " +
			"exit status is 1. No ledger is opened and no daemon started; a running daemon is asked for what " +
			"it has learned about the model.",
		example: "ctxledger count README.md docs\nctxledger count --tree\n" +
			"git log -1 | ctxledger count - --model claude-sonnet-4-5",
		near: []string{"tokens"}, does: keeps, json: answers(counted{}),
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
			if model == "" {
				encoding = cmp.Or(encoding, tokens.O200kBase.String())
			}
			c, err := counterOf(ctx, a, model, encoding)
			if err != nil {
				return err
			}
			if err := sayUnknown(a, model, c); err != nil {
				return err
			}
			if len(paths) == 0 {
				paths = []string{cmp.Or(a.workspace, ".")}
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
		if len(out.Files) == 0 && len(out.Failed) > 0 {
			return // no figure is one of what was asked for
		}
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

// counterOf returns the counter that the flags ask for. Errors: wrong use; those of models.
func counterOf(ctx context.Context, a *action, model, encoding string) (tokens.Counter, error) {
	switch {
	case model != "" && encoding != "":
		return tokens.Counter{}, misuse("--model and --encoding cannot be used together")
	case encoding != "":
		e, err := tokens.ParseEncoding(encoding)
		if err != nil {
			return tokens.Counter{}, usageError{error: err}
		}
		return e.Counter(), nil
	case model == "":
		return tokens.Counter{}, nil
	}
	models, err := a.models()
	if err != nil {
		return tokens.Counter{}, err
	}
	return models.Counter(model, learnt(ctx, a, model))
}

// askDaemon bounds how long a count waits for what a daemon has learnt of its model.
const askDaemon = 250 * time.Millisecond

// learnt returns what was learnt of a model, as far as the daemon of the workspace knows it, or that of the user ledger
// where the first does not run. None is started, and no ledger opened.
func learnt(ctx context.Context, a *action, model string) []byte {
	ws, err := a.find()
	if err != nil {
		return nil // counting needs no workspace
	}
	ctx, cancel := context.WithTimeout(ctx, askDaemon)
	defer cancel()
	for _, state := range []string{ws.State, ws.UserState} {
		api, err := daemon.Open(ctx, daemon.Options{State: state, Env: a.Env, Version: a.Version, NoSpawn: true})
		if err != nil {
			continue
		}
		defer api.Close()                          // nothing was written
		known, _ := ledger.Learnt(ctx, api, model) // else it is counted without
		return known
	}
	return nil
}

// counting is what one command counts.
type counting struct {
	texts   []*filecount.Text
	counter tokens.Counter
	ignored []string // directories in which git ignores all there is
}

// countFiles counts the texts that the paths name. Errors: those of filecount.Add.
func countFiles(ctx context.Context, a *action, c tokens.Counter, paths []string) (*counting, error) {
	bar := a.progress("counting")
	o := filecount.Options{Counter: c, Open: func(x *filecount.Text) (io.ReadCloser, error) { return openText(a, x) }}
	if bar.w != nil {
		o.Found, o.Read = bar.expect, bar.advance
	}
	t, found := filecount.New(ctx, o), &counting{counter: c}
	var err error
	for _, p := range paths {
		if err = countPath(a, t, found, p); err != nil {
			break
		}
	}
	found.texts, err = t.Done(err)
	bar.done()
	for _, x := range found.texts {
		x.Err = explained(x)
	}
	return found, err
}

// countPath finds what a path names: a text, or all texts in a directory.
func countPath(a *action, t *filecount.Counter, found *counting, name string) error {
	switch name {
	case "":
		return t.Add(&filecount.Text{Err: fault.New(fault.NotFound, "cli.count", "a path cannot be empty")})
	case "-":
		a.sayTyping("text")
		return t.Add(&filecount.Text{Name: name})
	}
	x := &filecount.Text{Name: name, Place: a.absolute(name)}
	info, err := os.Stat(x.Place)
	if err != nil {
		x.Err = err
		return t.Add(x)
	}
	if info.IsDir() {
		ignored, err := t.Dir(name, x.Place)
		if ignored {
			found.ignored = append(found.ignored, name)
		}
		return err
	}
	x.Size = info.Size()
	return t.Add(x)
}

// openText opens a text; "-" is standard input.
func openText(a *action, x *filecount.Text) (io.ReadCloser, error) {
	if x.Name == "-" {
		return io.NopCloser(a.In), nil
	}
	return openFile(columns.OneLine(x.Name), x.Place)
}

// explained returns why a text was not counted, with its name.
func explained(x *filecount.Text) error {
	if fault.Is(x.Err, fault.TooLarge) {
		return &fault.Error{Code: fault.TooLarge, Op: "cli.count", Message: columns.OneLine(x.Name), Err: x.Err}
	}
	if _, ok := errors.AsType[*fault.Error](x.Err); ok || x.Err == nil || errors.Is(x.Err, filecount.ErrBinary) {
		return x.Err
	}
	return fileError(columns.OneLine(x.Name), x.Err)
}

// What is named one by one on standard error; JSON has them all.
const (
	maxNotices  = 10
	maxFailures = 100
)

// printBound prints the upper bound of an estimate.
func printBound(w io.Writer, c tokens.Count) {
	fmt.Fprintf(w, "≈ is an estimate; upper bound: %s\n", chars.Plural(c.Upper, "token"))
}

// sayUnknown says that nothing is known of a model that was named, and what its counts are taken from instead.
func sayUnknown(a *action, model string, c tokens.Counter) error {
	if model == "" {
		return nil
	}
	models, err := a.models()
	if err != nil {
		return err
	}
	if _, known := models.Lookup(model); !known {
		a.say("the model %q is not known: its tokens are estimated from the encoding %s", model, c.Encoding())
		a.hint("describe it under models in %s", config.File)
	}
	return nil
}

// sayUncounted names what was not counted, or not as it is. Errors: invalid if a path could not be counted.
func sayUncounted(a *action, t *counting) error {
	var binary, invalid, failed []string
	for _, x := range t.texts {
		switch {
		case errors.Is(x.Err, filecount.ErrBinary):
			binary = append(binary, columns.OneLine(x.Name)+": binary, left out")
		case x.Err != nil:
			failed = append(failed, x.Err.Error())
		case x.Read.Invalid:
			invalid = append(invalid, columns.OneLine(x.Name)+": not valid UTF-8; each invalid part counts as U+FFFD")
		}
	}
	for _, name := range t.ignored {
		a.say("%s: git ignores everything in it; list the files explicitly to count them", name)
	}
	a.sayEach(binary, maxNotices, "more binary file")
	a.sayEach(invalid, maxNotices, "more file")
	a.sayEach(failed, maxFailures, "more path")
	if len(failed) > 0 {
		return fault.New(fault.Invalid, "cli.count", "%s could not be counted", chars.Plural(len(failed), "path"))
	}
	return nil
}

// reason says why a text was not counted, without its name.
func reason(err error) string {
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// sayEach writes lines to standard error, and of the rest how many there are.
func (a *action) sayEach(lines []string, most int, noun string) {
	for _, l := range lines[:min(len(lines), most)] {
		a.say("%s", l)
	}
	if n := len(lines) - most; n > 0 {
		a.say("and %s", chars.Plural(n, noun))
	}
}
