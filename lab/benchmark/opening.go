package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/testonly/scriptededitor"
)

const (
	// openFiles is how many documents are open when the memory is measured.
	openFiles = 50
	// leftAlone is the idle time of the editor before the memory is measured again.
	leftAlone = 12 * time.Second
	// hugeSize is the length in bytes of a document of which only the total cost is shown.
	hugeSize = 50 << 20
)

// measureOpening opens a document in a server just started, and the same text in a second document.
func (b *bench) measureOpening(ctx context.Context, d edited) error {
	first, err := opening("untitled:1", d)
	if err != nil {
		return err
	}
	more, err := opening("untitled:2", d)
	if err != nil {
		return err
	}
	var opened, second times
	for range b.runs * 2 {
		s, err := b.startServer(ctx, nil)
		if err != nil {
			return err
		}
		for _, o := range []struct {
			body []byte
			uri  string
			took *times
		}{{first, "untitled:1", &opened}, {more, "untitled:2", &second}} {
			err := o.took.clock(func() error {
				if err := s.Write(o.body); err != nil {
					return err
				}
				return s.lens(ctx, o.uri)
			})
			if err != nil {
				return err
			}
		}
		if err := s.stop(ctx); err != nil {
			return err
		}
	}
	b.report.add(fmt.Sprintf("editor, 1 MB of %s: opening it in a server just started, to the lens", d.name), extremes(opened),
		"another document of that text: "+extremes(second), ratio(opened.median(), second.median()), fmt.Sprint(len(opened)))
	return nil
}

// extremes prints a median with minimum and maximum.
func extremes(t times) string {
	return millis(t.median()) + ", from " + millis(t.at(0)) + " to " + millis(t.at(1))
}

// opening returns the message that opens a document.
func opening(uri string, d edited) ([]byte, error) {
	return json.Marshal(map[string]any{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": map[string]any{
		"textDocument": map[string]any{"uri": uri, "languageId": d.language, "version": 1, "text": d.text},
	}})
}

// measureStart starts servers.
func (b *bench) measureStart(ctx context.Context) error {
	var started times
	for range b.runs * 2 {
		var s *langServer
		err := started.clock(func() (err error) { s, err = b.startServer(ctx, nil); return err })
		if err != nil {
			return err
		}
		if err := s.stop(ctx); err != nil {
			return err
		}
	}
	b.report.add("editor: start of the server, to its answer to initialize", extremes(started), "", "", fmt.Sprint(len(started)))
	return nil
}

func open(ctx context.Context, s *langServer, uri string, d edited) error {
	if err := s.Open(uri, d.language, d.text); err != nil {
		return err
	}
	return s.lens(ctx, uri)
}

// measureOpenFiles opens many documents, sends every request for each, and measures the memory.
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
		busy := memoryOf(s.cmd.Process.Pid)
		env.Sleep(ctx, leftAlone)
		if rss := memoryOf(s.cmd.Process.Pid); rss > 0 {
			b.report.add(fmt.Sprintf("editor: memory with %d documents of %d KB open, left alone", openFiles, size>>10), megabytes(rss),
				"when all had just been asked about: "+megabytes(busy)+"; their texts: "+megabytes(int64(openFiles*size)), "", "1")
		}
		if err := s.stop(ctx); err != nil {
			return err
		}
	}
	return nil
}

// measureHuge opens and edits a document that is too large for an outline.
func (b *bench) measureHuge(ctx context.Context, d edited) error {
	d.text = strings.Repeat(d.text, hugeSize/len(d.text)+1)[:hugeSize]
	s, err := b.startServer(ctx, nil)
	if err != nil {
		return err
	}
	const uri = "untitled:huge"
	body, err := opening(uri, d)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := s.Write(body); err != nil {
		return err
	}
	if err := s.lens(ctx, uri); err != nil {
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
	b.report.add("editor: opening 50 MB, of which only the total cost is shown", millis(opened), "a keystroke in it: "+millis(typed.median())+", p99 "+millis(typed.at(0.99)), "", "1")
	return s.stop(ctx)
}
