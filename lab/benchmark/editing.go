package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strings"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/tokens"
)

const (
	// editedSize is the length in bytes of the documents that are edited.
	editedSize = 1 << 20
	// keystrokes is how many letters are typed in each pass, for each of the runs.
	keystrokes = 200
)

// measureEditing measures the language server from the editor's side: from the write to its standard
// input until the answer has been read, through two pipes.
func measureEditing(ctx context.Context, b *bench) error {
	texts, err := b.documents(ctx)
	if err != nil {
		return err
	}
	for _, d := range texts {
		if err := b.measureKeystrokes(ctx, d); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	for _, d := range texts {
		if err := b.measureOpening(ctx, d); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	if err := b.measureStart(ctx); err != nil {
		return err
	}
	if err := b.measureOpenFiles(ctx, texts); err != nil {
		return err
	}
	if err := b.measureHuge(ctx, texts[1]); err != nil {
		return err
	}
	if err := b.measureCountWorkspace(ctx); err != nil {
		return err
	}
	return b.measureNews(ctx)
}

// edited is a document that is edited.
type edited struct {
	name, language, text string
	typed                *regexp.Regexp // the lines in which letters are typed
}

// places returns the numbers of the lines in which letters are typed.
func (d edited) places() (lines []int) {
	for i, l := range strings.Split(d.text, "\n") {
		if d.typed.MatchString(l) {
			lines = append(lines, i)
		}
	}
	return lines
}

// documents returns a megabyte of each language with its own way of finding sections.
func (b *bench) documents(ctx context.Context) ([]edited, error) {
	source, err := goSource(ctx, editedSize)
	if err != nil {
		return nil, err
	}
	prose, err := readSources(english, editedSize)
	if err != nil {
		return nil, err
	}
	code := "package p\n" + declarations.ReplaceAllString(string(source), "")
	code = code[:strings.LastIndex(code, "\n}\n")+3]
	anywhere := regexp.MustCompile("")
	return []edited{
		{"Markdown", "markdown", withHeadings(string(prose)), anywhere},
		{"Go source", "go", code, regexp.MustCompile(`^\t+// .{20}`)},
		{"Go source that does not parse", "go", code + "func {\n", regexp.MustCompile(`^\t+// .{20}`)},
		{"any language", "plaintext", string(source), anywhere},
	}, nil
}

// declarations are the package clauses and imports, which must not occur twice in a file.
var declarations = regexp.MustCompile(`(?m)^package .*$|^import \((?s:.*?)^\)$|^import .*$`)

// withHeadings puts a heading before every two kilobytes of a text.
func withHeadings(text string) string {
	var b strings.Builder
	for n := 1; len(text) > 0; n++ {
		cut := len(text)
		if cut > 2048 {
			cut = 2048 + 1 + strings.IndexByte(text[2048:], '\n')
		}
		if cut <= 2048 {
			cut = len(text)
		}
		fmt.Fprintf(&b, "%s Section %d\n\n%s\n", strings.Repeat("#", 1+n%3), n, text[:cut])
		text = text[cut:]
	}
	return b.String()
}

// langServer is a language server under measurement.
type langServer struct {
	*scriptededitor.Editor
	cmd *exec.Cmd
}

// startServer starts the built server with settings that show everything, and initializes it with more.
func (b *bench) startServer(ctx context.Context, more map[string]any) (*langServer, error) {
	cmd := exec.CommandContext(ctx, b.bin+"/ctxlsp")
	cmd.Dir = b.temp
	s, err := attach(cmd)
	if err != nil {
		return nil, err
	}
	settings := map[string]any{"lens": "always", "hover": "always", "hints": 500, "symbols": true, "folding": true, "live": false}
	_, err = s.Initialize(ctx, nil, settings, more)
	return s, err
}

// attach starts a server and connects an editor to it.
func attach(cmd *exec.Cmd) (*langServer, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &langServer{scriptededitor.New(in, out), cmd}, cmd.Start()
}

// stop ends the server.
func (s *langServer) stop(ctx context.Context) error {
	if err := s.Leave(ctx); err != nil {
		return err
	}
	<-s.Gone()
	return s.cmd.Wait()
}

// lens asks for the cost of a document.
func (s *langServer) lens(ctx context.Context, uri string) error {
	var list []json.RawMessage
	err := s.Call(ctx, "textDocument/codeLens", scriptededitor.Document(uri, nil), &list)
	if err == nil && len(list) == 0 {
		err = errors.New("no lens")
	}
	return err
}

// measureKeystrokes types letters at random places, the same in each pass, and requests the lens and a
// hover after each.
func (b *bench) measureKeystrokes(ctx context.Context, d edited) error {
	s, err := b.startServer(ctx, nil)
	if err != nil {
		return err
	}
	const uri = "untitled:edited"
	if err := s.Open(uri, d.language, d.text); err != nil {
		return err
	}
	if err := s.lens(ctx, uri); err != nil {
		return err
	}
	lines := d.places()
	var lens, hover, symbols, leastLens, leastHover times
	for pass := range passes {
		rng := rand.New(rand.NewPCG(1, 2))
		var l, h times
		for i := range b.runs * keystrokes {
			at := scriptededitor.Position{Line: uint32(lines[rng.IntN(len(lines))]), Character: uint32(15 + rng.IntN(5))}
			err := l.clock(func() error {
				if err := s.Change(uri, 2+pass*b.runs*keystrokes+i, scriptededitor.Range{Start: at, End: at}, "x"); err != nil {
					return err
				}
				return s.lens(ctx, uri)
			})
			if err != nil {
				return err
			}
			at.Line = uint32(lines[rng.IntN(len(lines))])
			err = h.clock(func() error {
				return s.Call(ctx, "textDocument/hover", scriptededitor.Document(uri, map[string]any{"position": at}), nil)
			})
			if err != nil {
				return err
			}
		}
		lens, hover, leastLens, leastHover = append(lens, l...), append(hover, h...), least(leastLens, l), least(leastHover, h)
	}
	for range b.runs * 4 {
		err := symbols.clock(func() error {
			return s.Call(ctx, "textDocument/documentSymbol", scriptededitor.Document(uri, nil), nil)
		})
		if err != nil {
			return err
		}
	}
	counted := times{}
	for range b.runs * slowCalls {
		_ = counted.clock(func() error { tokens.O200kBase.Count([]byte(d.text)); return nil }) // never fails
	}
	title := fmt.Sprintf("editor, 1 MB of %s: ", d.name)
	say := func(what string, all, least times) {
		b.report.add(title+what, fmt.Sprintf("%s, p99 %s, undisturbed %s", micros(all.median()), micros(all.at(0.99)), micros(least.at(0.99))),
			"counting the text: "+millis(counted.median()), fmt.Sprintf("%.0f × as fast", counted.median().Seconds()/all.median().Seconds()), fmt.Sprint(len(all)))
	}
	say("a keystroke, to the fresh lens", lens, leastLens)
	say("a hover after it", hover, leastHover)
	b.report.add(title+"all symbols with their costs", millis(symbols.median()), "", "", fmt.Sprint(len(symbols)))
	return s.stop(ctx)
}

// least returns the shorter of two durations at each place.
func least(a, b times) times {
	if a == nil {
		return append(times(nil), b...)
	}
	for i := range a {
		a[i] = min(a[i], b[i])
	}
	return a
}
