package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/ledger"
)

func artifactReadCommand() command {
	var r ledger.ReadArtifactRequest
	return command{
		name: "artifact read", args: "HANDLE", short: "Print what a handle refers to, or part of it",
		long: "Prints what a handle refers to, byte for byte. Handles appear in stubs, summaries and " +
			"`ctxledger diff`; they name an artifact, a message, a session, or the messages that a summary " +
			"replaces. Four digits of a handle are enough if no other begins with them. Content that was saved " +
			"under a name is read by that name. On a terminal, control characters are shown as escapes. With --json, content that is " +
			"not UTF-8 is encoded in base64.\n\nOptions select a part, which is printed in pages, as a model " +
			"would see it. Standard error shows what was read and how to read the next page.",
		example: "ctxledger artifact read a3f9c20b1d7e > log.txt\n" +
			"ctxledger artifact read a3f9c20b1d7e --lines 2-4\n" +
			"ctxledger artifact read a3f9c20b1d7e --grep 'ok|FAIL' -C 2",
		near: []string{"show", "print"},
		was: map[string]string{"cat": "", "artifact grep": "artifact read HANDLE --grep PATTERN",
			"artifact forget": "forget HANDLE", "artifact read --limit": "artifact read HANDLE --chars N"},
		does: keeps, json: answers(catAnswer{}, artifacts.Page{}),
		flags: func(f *pflag.FlagSet) {
			s := &r.Selection
			f.StringVar(&s.Lines, "lines", "", "`LINES`, as in 10-40 or 10-")
			f.StringVar(&s.Bytes, "bytes", "", "`BYTES`, as in 0-4095")
			f.IntVar(&s.Head, "head", 0, "the first `N` lines")
			f.IntVar(&s.Tail, "tail", 0, "the last `N` lines")
			f.StringVar(&s.Grep, "grep", "", "lines that match `PATTERN`, with their numbers")
			f.IntVarP(&s.Context, "context", "C", 0, "with `N` lines around each match")
			f.StringVar(&s.Path, "path", "", "with --grep of a session: only what it read or did at `PATH`")
			f.StringVar(&s.JSONPath, "json-path", "", "values of a JSON document at `PATH`, as in $.items[0].name")
			f.StringVar(&s.Search, "search", "", "the passages that match `WORDS` best")
			f.IntVar(&s.Limit, "chars", 0, "at most `N` characters (default 8000, at most 40000)")
			f.Int64Var(&s.After, "after", 0, "continue a search after match `N`, as the previous page says")
			f.BoolVar(&r.Raw, "raw", false, "the original message instead of its text")
		},
		check: func(a *action, _ []string) error {
			for _, name := range []string{"head", "tail", "chars"} {
				if f := a.flags.Lookup(name); f.Changed && f.Value.String() == "0" {
					return misuse("--%s takes 1 or more", name)
				}
			}
			return nil
		},
		ask: func(ctx context.Context, a *action, args []string) error {
			r.ID = args[0]
			if r == (ledger.ReadArtifactRequest{ID: r.ID}) {
				return printContent(ctx, a, r.ID)
			}
			return readPage(ctx, a, r)
		},
	}
}

// catAnswer is whole content as it is answered.
type catAnswer struct {
	Handle string `json:"handle"`
	Bytes  int    `json:"bytes"`
	stored
}

// printContent prints the whole content of a handle.
func printContent(ctx context.Context, a *action, handle string) error {
	const op = "cli.read"
	rc, err := a.ledger.ReadBlob(ctx, ledger.ReadBlobRequest{Handle: handle})
	if err != nil {
		return err
	}
	defer rc.Close() // opened for reading
	if !a.json {
		w := a.raw()
		if _, err = io.Copy(w, rc); err == nil {
			err = w.Close()
		}
		return fault.Wrap(fault.Unavailable, op, err)
	}
	content, err := io.ReadAll(io.LimitReader(rc, maxJSON+1))
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	if len(content) > maxJSON {
		return tooLongForJSON(handle)
	}
	return a.answerExact(catAnswer{Handle: handle, Bytes: len(content), stored: storedOf(content)})
}

// readPage prints one page of what a handle names.
func readPage(ctx context.Context, a *action, r ledger.ReadArtifactRequest) error {
	page, err := a.ledger.ReadArtifact(ctx, r)
	if wrong, ok := errors.AsType[*fault.Error](err); ok {
		return fault.New(wrong.Code, wrong.Op, "%s", inFlags(wrong.Error())).WithHint("%s", inFlags(wrong.Hint))
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.answerExact(page)
	}
	a.say("%s of %s, %s", page.Range, chars.Plural(page.TotalLines, "line"), chars.Size(page.TotalBytes))
	if page.Next != nil {
		r.ID, r.Selection = page.ID, *page.Next
		a.hint("next page: `%s`", readCommand(r))
	}
	text := page.Text
	if text != "" && !strings.HasSuffix(text, "\n") && page.Next == nil {
		text += "\n"
	}
	return a.write([]byte(text))
}

// readCommand writes a request as the command that makes it.
func readCommand(r ledger.ReadArtifactRequest) string {
	s, cmd := r.Selection, "ctxledger artifact read "+r.ID
	if r.Raw {
		cmd += " --raw"
	}
	for _, f := range []struct {
		flag  string
		value any
	}{
		{"lines", s.Lines}, {"bytes", s.Bytes}, {"json-path", s.JSONPath}, {"search", s.Search}, {"grep", s.Grep},
		{"path", s.Path},
		{"head", s.Head}, {"tail", s.Tail}, {"context", s.Context}, {"chars", s.Limit}, {"after", s.After},
	} {
		if value := fmt.Sprint(f.value); value != "" && value != "0" {
			cmd += " --" + f.flag + " " + shell.Quote(value)
		}
	}
	return cmd
}

func artifactSearchCommand() command {
	r := ledger.SearchArtifactsRequest{}
	return command{
		name: "artifact search", args: "WORDS", short: "Search all artifacts for the passages that match best",
		example: "ctxledger artifact search 'connection refused'",
		does:    keeps, json: answers(ledger.SearchArtifactsResponse{}),
		flags: func(f *pflag.FlagSet) { limitFlag(f, &r.Limit, 5) }, check: checkLimit(&r.Limit),
		ask: func(ctx context.Context, a *action, args []string) error {
			r.Query = args[0]
			resp, err := a.ledger.SearchArtifacts(ctx, r)
			if err != nil {
				return err
			}
			if a.json {
				return a.answerExact(resp)
			}
			hintUnread(a, resp.Unread)
			if len(resp.Passages) == 0 {
				return sayNoPassage(ctx, a)
			}
			printPassages(a.Out, resp.Passages)
			return nil
		},
	}
}

// sayNoPassage says how much was searched, and what was not.
func sayNoPassage(ctx context.Context, a *action) error {
	page, err := a.ledger.Artifacts(ctx, ledger.ArtifactsRequest{Limit: 1})
	if err != nil {
		return err
	}
	err = a.answer(nil, func(w io.Writer) {
		fmt.Fprintf(w, "no passage matches in %s\n", chars.Plural(page.Total, "artifact"))
	})
	a.hint("messages are not searched: `ctxledger artifact read SESSION --search WORDS` searches those of a session")
	return err
}

func printPassages(w io.Writer, passages []artifacts.Passage) {
	for i, p := range passages {
		if i > 0 {
			fmt.Fprintln(w)
		}
		name := ""
		if p.Name != "" {
			name = " (" + columns.OneLine(p.Name) + ")"
		}
		fmt.Fprintf(w, "%s%s, lines %s\n%s\n", p.ID, name, p.Lines, strings.TrimSuffix(chars.Plain(p.Text), "\n"))
	}
}

// selectionArgument is an argument of a selection as errors of package artifacts write it, and as MCP takes it: with a value, or
// by its name alone, in backticks.
var selectionArgument = pattern.Lazy(
	"`(?:lines|bytes|head|tail|grep|json_path|search)`|" +
		`\b(?:lines|bytes|head|tail|grep|context|json_path|search|after|limit)=(?:"(?:[^"\\]|\\.)*"|-?\d+)`)

// inFlags writes the arguments of a selection as the command line takes them: lines="10-40" as --lines 10-40.
func inFlags(text string) string {
	return selectionArgument().ReplaceAllStringFunc(text, func(argument string) string {
		name, value, _ := strings.Cut(argument, "=")
		if plain, err := strconv.Unquote(value); err == nil {
			value = shell.Quote(plain)
		}
		if name == "limit" {
			name = "chars" // the other commands limit how much they list
		}
		return strings.TrimSpace("--" + strings.ReplaceAll(strings.Trim(name, "`"), "_", "-") + " " + value)
	})
}
