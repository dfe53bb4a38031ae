package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/pflag"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

func artifactCommand() command {
	limit := 0
	return command{
		name: "artifact", short: "Content kept outside the context: read, save, search",
		long: "An artifact is content kept outside the context, such as a large tool result; a session's view " +
			"shows its handle instead. Without a command it lists the artifacts, newest first.",
		example: "ctxledger artifact --limit 5\nctxledger artifact read a3f9c20b1d7e --lines 1-40",
		near:    []string{"search", "find", "grep"},
		was:     map[string]string{"artifact ls": "", "artifact list": "artifact"},
		does:    keeps, json: answers(artifactsAnswer{}),
		flags: func(f *pflag.FlagSet) { limitFlag(f, &limit, 100) }, check: checkLimit(&limit),
		ask: shows(func(ctx context.Context, a *action, _ []string) (out artifactsAnswer, err error) {
			out.ArtifactsResponse, err = a.ledger.Artifacts(ctx, ledger.ArtifactsRequest{Limit: limit})
			if err != nil {
				return out, err
			}
			out.Artifacts, err = countArtifacts(ctx, a, out.ArtifactsResponse.Artifacts)
			return out, err
		}, printArtifacts),
	}
}

// artifactsAnswer is the list of artifacts as it is answered.
type artifactsAnswer struct {
	ledger.ArtifactsResponse
	Artifacts []countedArtifact `json:"artifacts"`
}

// countedArtifact is an artifact with what its text costs the model of the session that it came from.
type countedArtifact struct {
	artifacts.Artifact
	Tokens tokens.Count `json:"tokens"`
}

// countArtifacts counts artifacts. Errors: those of the models and of ledger.CountersOf.
func countArtifacts(
	ctx context.Context, a *action, list []artifacts.Artifact,
) ([]countedArtifact, error) {
	models, err := a.models()
	if err != nil {
		return nil, err
	}
	var of []string
	for _, art := range list {
		of = append(of, art.Session())
	}
	counters, err := ledger.CountersOf(ctx, a.ledger, models, of)
	out := make([]countedArtifact, 0, len(list))
	for _, art := range list {
		out = append(out, countedArtifact{art, art.Count(counters[art.Session()])})
	}
	return out, err
}

func printArtifacts(a *action, w io.Writer, resp artifactsAnswer) {
	if resp.Total == 0 {
		fmt.Fprintln(w, "no artifacts here")
		return
	}
	t := a.newTable("HANDLE", "KEPT", ">BYTES", ">LINES", ">TOKENS", "CONTENT")
	for _, art := range resp.Artifacts {
		what := art.Describe()
		if art.Forgotten != nil {
			what = "(forgotten on " + a.stamp(*art.Forgotten) + ") " + what
		}
		t.Add(art.ID, a.stamp(art.Created), chars.Size(art.Bytes), chars.Commas(art.Lines),
			art.Tokens.String(), what)
	}
	t.Print(w)
	more(w, resp.Total-len(resp.Artifacts), resp.Total)
}

func artifactSaveCommand() command {
	var title, saved string
	return command{
		name: "artifact save", args: "FILE|-", short: "Keep a file or standard input, and print its handle",
		example: "echo 'ok 12 tests' | ctxledger artifact save - --title 'test run'",
		was:     map[string]string{"artifact put": ""},
		does:    keeps, undo: "it adds", json: answers(countedArtifact{}),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&title, "title", "", "a `TITLE` (default: the file's name)")
			f.StringVar(&saved, "name", "", "a `NAME` by which it is read; earlier versions stay, as NAME@1")
		},
		ask: shows(func(ctx context.Context, a *action, args []string,
		) (out countedArtifact, err error) {
			content, name, err := openInput(a, args[0], "text")
			if err != nil {
				return out, err
			}
			defer content.Close() // opened for reading
			ref, err := a.ledger.PutBlob(ctx, content)
			if err != nil {
				return out, err
			}
			art, err := a.ledger.PutArtifact(ctx, ledger.PutArtifactRequest{Blob: ref.Hash, Title: cmp.Or(title, name),
				Name: saved})
			if err != nil {
				return out, err
			}
			all, err := countArtifacts(ctx, a, []artifacts.Artifact{art})
			if err != nil {
				return out, err
			}
			return all[0], nil
		}, func(_ *action, w io.Writer, art countedArtifact) { fmt.Fprintln(w, art.ID) }),
	}
}

// openInput opens a file, or standard input for "-", and returns a title for it. Errors: those of openFile.
func openInput(a *action, name, what string) (io.ReadCloser, string, error) {
	if name == "-" {
		a.sayTyping(what)
		return io.NopCloser(a.In), "standard input", nil
	}
	f, err := openFile(name, a.absolute(name))
	if err != nil {
		return nil, "", err
	}
	return f, filepath.Base(name), nil
}

// readInput reads what a file or standard input has. Errors: those of openFile; too_large.
func readInput(a *action, name, what string, most int64) ([]byte, error) {
	in, _, err := openInput(a, name, what)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read
	raw, err := io.ReadAll(io.LimitReader(in, most+1))
	if int64(len(raw)) > most {
		return nil, fault.New(fault.TooLarge, "cli.input", "the %s exceeds %s", what, chars.Size(most))
	}
	return raw, fault.Wrap(fault.Unavailable, "cli.input", err)
}

// sayTyping says how to end a text that is typed on a terminal.
func (a *action) sayTyping(what string) {
	if terminal(a.In) {
		a.say("reading the %s from the terminal; press Ctrl-D to finish", what)
	}
}

// readText reads at most so many bytes of a text from standard input.
func readText(a *action, what string, most int64) (string, error) {
	a.sayTyping(what)
	raw, err := io.ReadAll(io.LimitReader(a.In, most))
	return string(raw), fault.Wrap(fault.Unavailable, "cli.input", err)
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
