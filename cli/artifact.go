package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
)

func (a *app) artifactCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "artifact",
		Short:   "Content kept outside the context: put, ls, read, grep, search, forget",
		Example: "  ctxledger artifact ls\n  ctxledger artifact read a3f9c20b1d7e --lines 1-40",
		Args:    a.args(cobra.NoArgs),
		RunE:    a.artifactList,
	}
	cmd.AddCommand(a.artifactPut(), a.artifactLs(), a.artifactRead(), a.artifactGrep(), a.artifactSearch(), a.artifactForget())
	return cmd
}

func (a *app) artifactPut() *cobra.Command {
	var title string
	cmd := &cobra.Command{
		Use:     "put FILE|-",
		Short:   "Keep a file, or standard input, as an artifact; prints its handle",
		Example: "  go test ./... 2>&1 | ctxledger artifact put - --title 'test run'",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			content, name, err := a.input(args[0])
			if err != nil {
				return err
			}
			defer content.Close() //nolint:errcheck // opened for reading
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			ref, err := api.PutBlob(cmd.Context(), content)
			if err != nil {
				return err
			}
			if title == "" {
				title = name
			}
			art, err := api.PutArtifact(cmd.Context(), engine.PutArtifactRequest{Blob: ref.Hash, Title: title})
			if err != nil {
				return err
			}
			return a.answer(art, func(w io.Writer) { fmt.Fprintln(w, art.ID) })
		},
	}
	cmd.Flags().StringVar(&title, "title", "", "what it is (default: the file's name)")
	return cmd
}

// input opens a file, or standard input for "-", and says what to call it.
func (a *app) input(arg string) (io.ReadCloser, string, error) {
	if arg == "-" {
		return io.NopCloser(a.In), "standard input", nil
	}
	file := arg
	if !filepath.IsAbs(file) {
		file = filepath.Join(a.Env.Dir, file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", fault.Wrap(fault.NotFound, "cli.input", err)
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		_ = f.Close() // nothing was read
		return nil, "", fault.New(fault.Invalid, "cli.input", "%s is not a regular file", arg)
	}
	return f, filepath.Base(file), nil
}

func (a *app) artifactLs() *cobra.Command {
	return &cobra.Command{
		Use: "ls", Short: "List the artifacts, newest first", Example: "  ctxledger artifact ls --json",
		Args: a.args(cobra.NoArgs), RunE: a.artifactList,
	}
}

func (a *app) artifactList(cmd *cobra.Command, _ []string) error {
	api, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	resp, err := api.Artifacts(cmd.Context(), engine.ArtifactsRequest{Limit: 1000})
	if err != nil {
		return err
	}
	return a.answer(resp, func(w io.Writer) {
		if resp.Total == 0 {
			fmt.Fprintln(w, "no artifact is kept here")
			return
		}
		t := newTable("HANDLE", "KEPT", ">BYTES", ">LINES", ">TOKENS", "WHAT")
		for _, art := range resp.Artifacts {
			what := art.Describe()
			if art.Forgotten != nil {
				what = "(forgotten on " + a.stamp(*art.Forgotten) + ") " + what
			}
			t.add(art.ID, a.stamp(art.Created), size(art.Bytes), commas(art.Lines), commas(art.Tokens), what)
		}
		t.print(w)
	})
}

func (a *app) artifactRead() *cobra.Command {
	var s artifacts.Selection
	cmd := &cobra.Command{
		Use:   "read HANDLE",
		Short: "Read a part of an artifact, of a summary's range or of a message",
		Long:  "Reads from the start, or what one of the flags selects. Standard error says how to go on.",
		Example: "  ctxledger artifact read a3f9c20b1d7e --lines 100-140\n  ctxledger artifact read a3f9c20b1d7e --tail 20\n" +
			"  ctxledger artifact read a3f9c20b1d7e --json-path '$.items[0].name'",
		Args: a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return a.readPage(cmd, args[0], s) },
	}
	f := cmd.Flags()
	f.StringVar(&s.Lines, "lines", "", "lines, as in 10-40 or 10-")
	f.StringVar(&s.Bytes, "bytes", "", "bytes, as in 0-4095")
	f.IntVar(&s.Head, "head", 0, "first lines")
	f.IntVar(&s.Tail, "tail", 0, "last lines")
	f.StringVar(&s.JSONPath, "json-path", "", "values of a JSON document")
	f.StringVar(&s.Search, "search", "", "words; the best passages")
	f.IntVar(&s.Limit, "limit", 0, "characters at most")
	return cmd
}

func (a *app) artifactGrep() *cobra.Command {
	var s artifacts.Selection
	cmd := &cobra.Command{
		Use:     "grep PATTERN HANDLE",
		Short:   "Matching lines of an artifact",
		Example: "  ctxledger artifact grep -C 2 'FAIL|panic' a3f9c20b1d7e",
		Args:    a.args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.Grep = args[0]
			return a.readPage(cmd, args[1], s)
		},
	}
	cmd.Flags().IntVarP(&s.Context, "context", "C", 0, "lines around each match")
	cmd.Flags().IntVar(&s.Limit, "limit", 0, "characters at most")
	return cmd
}

// readPage prints one page of what a handle names.
func (a *app) readPage(cmd *cobra.Command, handle string, s artifacts.Selection) error {
	api, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	page, err := api.ReadArtifact(cmd.Context(), engine.ReadArtifactRequest{ID: handle, Selection: s})
	if err != nil {
		return err
	}
	if a.json {
		return a.answer(page, nil)
	}
	a.say("%s of %s lines, %s", page.Range, commas(page.TotalLines), size(page.TotalBytes))
	if page.Next != nil {
		a.hint("it goes on: %s", nextFlags(handle, *page.Next))
	}
	text := page.Text
	if text != "" && text[len(text)-1] != '\n' && page.Next == nil {
		text += "\n"
	}
	_, err = io.WriteString(a.raw(), text)
	return fault.Wrap(fault.Unavailable, "cli.artifact", err)
}

// nextFlags writes a selection as the command that reads it.
func nextFlags(handle string, s artifacts.Selection) string {
	cmd := "ctxledger artifact read " + handle
	switch {
	case s.Lines != "":
		return cmd + " --lines " + s.Lines
	case s.Bytes != "":
		return cmd + " --bytes " + s.Bytes
	}
	return "narrow the selection, or raise --limit"
}

func (a *app) artifactSearch() *cobra.Command {
	r := engine.SearchArtifactsRequest{}
	cmd := &cobra.Command{
		Use:     "search WORDS",
		Short:   "Passages in all artifacts that fit the words best",
		Example: "  ctxledger artifact search 'connection refused'",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			r.Query = args[0]
			resp, err := api.SearchArtifacts(cmd.Context(), r)
			if err != nil {
				return err
			}
			return a.answer(resp, func(w io.Writer) {
				if len(resp.Passages) == 0 {
					fmt.Fprintln(w, "nothing fits")
				}
				for _, p := range resp.Passages {
					fmt.Fprintf(w, "%s lines %s\n%s\n", p.ID, p.Lines, plain(p.Text))
				}
			})
		},
	}
	cmd.Flags().IntVar(&r.Limit, "limit", 5, "passages at most")
	return cmd
}

func (a *app) artifactForget() *cobra.Command {
	return &cobra.Command{
		Use:     "forget HANDLE",
		Short:   "Remove an artifact's content and the originals that hold it; a tombstone stays",
		Example: "  ctxledger artifact forget a3f9c20b1d7e",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			art, err := api.ForgetArtifact(cmd.Context(), engine.ForgetArtifactRequest{ID: args[0]})
			if err != nil {
				return err
			}
			return a.answer(art, func(w io.Writer) { fmt.Fprintf(w, "forgot %s, %s\n", art.ID, size(art.Bytes)) })
		},
	}
}
