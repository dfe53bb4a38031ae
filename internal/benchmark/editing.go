package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/sandbox"
	"ctxledger.dev/internal/scriptededitor"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/tokens"
)

const (
	// editedSize is the length in bytes of the documents that are edited.
	editedSize = 1 << 20
	// keystrokes is how many letters are typed in each pass, for each of the runs.
	keystrokes = 200
	// openFiles is how many documents are open when the memory is looked at.
	openFiles = 50
	// hugeSize is the length in bytes of a document of which only the whole cost is told.
	hugeSize = 50 << 20
)

// measureEditing measures the language server from the editor's side: what is written to its standard
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
	if err := b.measureOpening(ctx, texts[0]); err != nil {
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

// documents returns a megabyte of each language whose sections are found in a way of their own.
func (b *bench) documents(ctx context.Context) ([]edited, error) {
	source, err := goSource(ctx, editedSize)
	if err != nil {
		return nil, err
	}
	prose, err := readShelves(english, editedSize)
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

// declarations are what makes no sense twice in a file: clauses and imports of the files put together.
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
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%d lenses", len(list))
	}
	return err
}

// measureKeystrokes types letters at random places, the same in each pass, and asks for the lens and for
// what is under the mouse after each.
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
		_ = counted.clock(func() error { tokens.O200kBase.Count([]byte(d.text)); return nil }) // it returns that nil
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

// measureOpening opens a document in a server that has seen none.
func (b *bench) measureOpening(ctx context.Context, d edited) error {
	var started, opened, second times
	for range b.runs * 2 {
		var s *langServer
		err := started.clock(func() (err error) { s, err = b.startServer(ctx, nil); return err })
		if err != nil {
			return err
		}
		if err := opened.clock(func() error { return open(ctx, s, "untitled:1", d) }); err != nil {
			return err
		}
		if err := second.clock(func() error { return open(ctx, s, "untitled:2", d) }); err != nil {
			return err
		}
		if err := s.stop(ctx); err != nil {
			return err
		}
	}
	b.report.add("editor: opening 1 MB of Markdown in a server just started, to the lens", millis(opened.median())+", worst "+millis(opened.at(1)),
		"the same once more: "+millis(second.median()), ratio(opened.median(), second.median()), fmt.Sprint(len(opened)))
	b.report.add("editor: start of the server, to its answer to initialize", millis(started.median()), "", "", fmt.Sprint(len(started)))
	return nil
}

func open(ctx context.Context, s *langServer, uri string, d edited) error {
	if err := s.Open(uri, d.language, d.text); err != nil {
		return err
	}
	return s.lens(ctx, uri)
}

// measureOpenFiles opens many documents, asks all there is to ask of each, and looks at the memory.
func (b *bench) measureOpenFiles(ctx context.Context, texts []edited) error {
	for _, size := range []int{100 << 10, 1 << 20} {
		s, err := b.startServer(ctx, nil)
		if err != nil {
			return err
		}
		for i := range openFiles {
			d := texts[i%len(texts)]
			d.text = strings.ToValidUTF8(d.text[:min(size, len(d.text))], "")
			uri := fmt.Sprintf("untitled:%d", i)
			if err := open(ctx, s, uri, d); err != nil {
				return err
			}
			for _, method := range []string{"documentSymbol", "foldingRange"} {
				if err := s.Call(ctx, "textDocument/"+method, scriptededitor.Document(uri, nil), nil); err != nil {
					return err
				}
			}
		}
		if rss := memoryOf(s.cmd.Process.Pid); rss > 0 {
			b.report.add(fmt.Sprintf("editor: memory with %d documents of %d KB open", openFiles, size>>10), megabytes(rss),
				"their texts: "+megabytes(int64(openFiles*size)), "", "1")
		}
		if err := s.stop(ctx); err != nil {
			return err
		}
	}
	return nil
}

// measureHuge opens and edits a document that is too large to look into.
func (b *bench) measureHuge(ctx context.Context, d edited) error {
	d.text = strings.Repeat(d.text, hugeSize/len(d.text)+1)[:hugeSize]
	s, err := b.startServer(ctx, nil)
	if err != nil {
		return err
	}
	const uri = "untitled:huge"
	began := time.Now()
	if err := open(ctx, s, uri, d); err != nil {
		return err
	}
	opened := time.Since(began)
	var typed times
	for i := range b.runs * slowCalls {
		at := scriptededitor.Position{Line: uint32(i * 1000)}
		err := typed.clock(func() error {
			if err := s.Change(uri, i+2, scriptededitor.Range{Start: at, End: at}, "x"); err != nil {
				return err
			}
			return s.lens(ctx, uri)
		})
		if err != nil {
			return err
		}
	}
	b.report.add("editor: opening 50 MB, of which only the whole cost is told", millis(opened), "a keystroke in it: "+millis(typed.median())+", p99 "+millis(typed.at(0.99)), "", "1")
	return s.stop(ctx)
}

// measureCountWorkspace counts the source of Go's standard library in the server, and beside it with the
// command line.
func (b *bench) measureCountWorkspace(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	var served, alone times
	var counted struct{ Files, Bytes, Tokens int64 }
	for range b.runs {
		s, err := b.startServer(ctx, map[string]any{"rootUri": "file://" + filepath.ToSlash(dir)})
		if err != nil {
			return err
		}
		err = served.clock(func() error {
			return s.Call(ctx, "workspace/executeCommand", map[string]any{"command": "ctxledger.server.countWorkspace"}, &counted)
		})
		if err != nil {
			return err
		}
		if err := s.stop(ctx); err != nil {
			return err
		}
		if err := alone.clock(func() error { return exec.CommandContext(ctx, b.bin+"/ctxledger", "count", "--json", dir).Run() }); err != nil {
			return err
		}
	}
	b.report.add(fmt.Sprintf("editor: counting a workspace of %s in %d files, with progress", megabytes(counted.Bytes), counted.Files),
		millis(served.median())+", best "+millis(served.at(0)), "`ctxledger count`: "+millis(alone.median())+", best "+millis(alone.at(0)), ratio(served.at(0), alone.at(0)), fmt.Sprint(len(served)))
	return nil
}

// measureNews measures from when an agent has written the result of a read into its session file until an open
// editor is asked to show it: once after a pause, as the first news.
func (b *bench) measureNews(ctx context.Context) error {
	return b.inSandbox(ctx, func(box *sandbox.Sandbox) error {
		n, err := newNewsroom(box)
		if err != nil {
			return err
		}
		s, err := n.connect(ctx, b)
		if err != nil {
			return err
		}
		var took times
		for range b.runs * 4 {
			env.Sleep(ctx, 2*live.Pause)
			before := s.Asked("workspace/codeLens/refresh")
			err := took.clock(func() error {
				if err := n.read(); err != nil {
					return err
				}
				_, err := s.Until(ctx, func([]scriptededitor.Message) bool { return s.Asked("workspace/codeLens/refresh") > before })
				return err
			})
			if err != nil {
				return err
			}
		}
		b.report.add("editor: from a line in an agent's session file to the editor's refresh", millis(took.median())+", p99 "+millis(took.at(0.99)), "", "", fmt.Sprint(len(took)))
		return s.stop(ctx)
	})
}
