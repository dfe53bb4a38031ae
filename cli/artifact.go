package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

func (a *app) artifactCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "artifact",
		Short: "Content kept outside the context: put, ls, read, grep, search, forget",
		Long: "An artifact is content that is kept outside of the context, such as a large tool result. It is named\n" +
			"by a handle, which a session's view shows in its place. Without a command it lists the artifacts.",
		Example: "  ctxledger artifact ls\n  ctxledger artifact read a3f9c20b1d7e --lines 1-40",
		Args:    a.args(0, 0),
		RunE: a.asks(func(ctx context.Context, api ledger.API, _ []string) error {
			return a.artifactList(ctx, api, artifactLimit)
		}),
	}
	ls := &cobra.Command{
		Use: "ls", Short: "List the artifacts, newest first", Example: "  ctxledger artifact ls --json",
		Args: a.args(0, 0),
		RunE: a.asks(func(ctx context.Context, api ledger.API, _ []string) error { return a.artifactList(ctx, api, limit) }),
	}
	ls.Flags().IntVar(&limit, "limit", artifactLimit, "list at most `N`")
	cmd.AddCommand(a.artifactPut(), ls, a.artifactRead(), a.artifactGrep(), a.artifactSearch(), a.artifactForget())
	return cmd
}

// artifactLimit is how many artifacts are listed when nobody says.
const artifactLimit = 100

func (a *app) artifactList(ctx context.Context, api ledger.API, limit int) error {
	if limit < 1 {
		return misuse("--limit takes a number from 1, not %d", limit)
	}
	resp, err := api.Artifacts(ctx, ledger.ArtifactsRequest{Limit: limit})
	if err != nil {
		return err
	}
	return a.answer(resp, func(w io.Writer) {
		if resp.Total == 0 {
			fmt.Fprintln(w, "no artifact is kept here")
			return
		}
		t := a.newTable("HANDLE", "KEPT", ">BYTES", ">LINES", ">TOKENS", "WHAT")
		for _, art := range resp.Artifacts {
			what := art.Describe()
			if art.Forgotten != nil {
				what = "(forgotten on " + a.stamp(*art.Forgotten) + ") " + what
			}
			t.add(art.ID, a.stamp(art.Created), chars.Size(art.Bytes), chars.Commas(art.Lines), chars.Commas(art.Tokens), what)
		}
		t.print(w)
		more(w, resp.Total-len(resp.Artifacts), resp.Total)
	})
}

func (a *app) artifactPut() *cobra.Command {
	var title string
	cmd := &cobra.Command{
		Use:     "put FILE|-",
		Short:   "Keep a file, or standard input, as an artifact; prints its handle",
		Example: "  go test ./... 2>&1 | ctxledger artifact put - --title 'test run'",
		Args:    a.args(1, 1),
		RunE: a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			content, name, err := a.input(args[0])
			if err != nil {
				return err
			}
			defer content.Close() //nolint:errcheck // opened for reading
			ref, err := api.PutBlob(ctx, content)
			if err != nil {
				return err
			}
			if title == "" {
				title = name
			}
			art, err := api.PutArtifact(ctx, ledger.PutArtifactRequest{Blob: ref.Hash, Title: title})
			if err != nil {
				return err
			}
			return a.answer(art, func(w io.Writer) { fmt.Fprintln(w, art.ID) })
		}),
	}
	cmd.Flags().StringVar(&title, "title", "", "`WHAT` it is (default: the file's name)")
	return cmd
}

// input opens a file, or standard input for "-", and says what to call it. Errors: those of openFile.
func (a *app) input(name string) (io.ReadCloser, string, error) {
	if name == "-" {
		return io.NopCloser(a.In), "standard input", nil
	}
	f, err := openFile(name, a.absolute(name))
	if err != nil {
		return nil, "", err
	}
	return f, filepath.Base(name), nil
}

// fileError gives an error of the file system its code, and the name as it was typed.
func fileError(name string, err error) error {
	code := fault.Unavailable
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = fault.NotFound
	case errors.Is(err, fs.ErrPermission):
		code = fault.Denied
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // the message names the path
	}
	return &fault.Error{Code: code, Op: "cli.file", Message: name, Err: err}
}

func (a *app) artifactForget() *cobra.Command {
	return &cobra.Command{
		Use:   "forget HANDLE",
		Short: "Remove an artifact's content and the originals that hold it; a tombstone stays",
		Long: "Removes the content for good, also from the originals of the sessions that hold it. The handle then\n" +
			"says that it was forgotten, and when.",
		Example: "  ctxledger artifact forget a3f9c20b1d7e",
		Args:    a.args(1, 1),
		RunE: a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			art, err := api.Artifact(ctx, ledger.ArtifactRequest{ID: args[0]})
			if err != nil {
				return err
			}
			if _, err := api.Forget(ctx, ledger.ForgetRequest{Handle: art.ID}); err != nil {
				return err
			}
			if art, err = api.Artifact(ctx, ledger.ArtifactRequest{ID: art.ID}); err != nil {
				return err
			}
			return a.answer(art, func(w io.Writer) { fmt.Fprintf(w, "forgot %s, %s\n", art.ID, chars.Size(art.Bytes)) })
		}),
	}
}
