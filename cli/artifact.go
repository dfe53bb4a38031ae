package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

func (a *app) artifactCommand() *cobra.Command {
	limit := artifactLimit
	cmd := &cobra.Command{
		Use:   "artifact",
		Short: "Content kept outside the context: put, ls, read, grep, search",
		Long: "An artifact is content that is kept outside the context, such as a large tool result. A session's\n" +
			"view shows its handle instead. Without a command it lists the artifacts.",
		Example: "  ctxledger artifact ls\n  ctxledger artifact read a3f9c20b1d7e --lines 1-40",
		Args:    a.args(0, 0),
	}
	cmd.RunE = shows(a, func(ctx context.Context, api ledger.API, _ []string) (ledger.ArtifactsResponse, error) {
		if err := atLeast(1, limit, "--limit"); err != nil {
			return ledger.ArtifactsResponse{}, err
		}
		return api.Artifacts(ctx, ledger.ArtifactsRequest{Limit: limit})
	}, a.printArtifacts)
	ls := &cobra.Command{
		Use: "ls", Short: "List the artifacts, newest first", Example: "  ctxledger artifact ls --json",
		Args: a.args(0, 0), RunE: cmd.RunE,
	}
	ls.Flags().IntVar(&limit, "limit", artifactLimit, "list at most `N`")
	cmd.AddCommand(a.artifactPut(), ls, a.artifactRead(), a.artifactGrep(), a.artifactSearch())
	return cmd
}

// artifactLimit is how many artifacts are listed by default.
const artifactLimit = 100

func (a *app) printArtifacts(w io.Writer, resp ledger.ArtifactsResponse) {
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
		t.Add(art.ID, a.stamp(art.Created), chars.Size(art.Bytes), chars.Commas(art.Lines), chars.Commas(art.Tokens),
			what)
	}
	t.Print(w)
	more(w, resp.Total-len(resp.Artifacts), resp.Total)
}

func (a *app) artifactPut() *cobra.Command {
	var title string
	cmd := &cobra.Command{
		Use:     "put FILE|-",
		Short:   "Keep a file or standard input as an artifact, and print its handle",
		Example: "  go test ./... 2>&1 | ctxledger artifact put - --title 'test run'",
		Args:    a.args(1, 1),
		RunE: shows(a, func(ctx context.Context, api ledger.API, args []string) (art artifacts.Artifact, err error) {
			content, name, err := a.input(args[0])
			if err != nil {
				return art, err
			}
			defer content.Close() // opened for reading
			ref, err := api.PutBlob(ctx, content)
			if err != nil {
				return art, err
			}
			return api.PutArtifact(ctx, ledger.PutArtifactRequest{Blob: ref.Hash, Title: cmp.Or(title, name)})
		}, func(w io.Writer, art artifacts.Artifact) { fmt.Fprintln(w, art.ID) }),
	}
	cmd.Flags().StringVar(&title, "title", "", "`WHAT` it is (default: the file's name)")
	return cmd
}

// input opens a file, or standard input for "-", and returns a title for it. Errors: those of openFile.
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

// fileError gives an error of the file system a code, and the name as the user typed it.
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
