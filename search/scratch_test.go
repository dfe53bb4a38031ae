package search

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
	)

func TestScratch(t *testing.T) {
	var docs []string
	total := 0
	filepath.WalkDir("/usr/local/go/src", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || total > 60<<20 {
			return nil
		}
		raw, _ := os.ReadFile(p)
		for len(raw) > 0 {
			n := min(3000, len(raw))
			docs = append(docs, string(raw[:n]))
			total += n
			raw = raw[n:]
		}
		return nil
	})
	start := time.Now()
	bags := make([]Bag, len(docs))
	var b Bagger
	post := 0
	for i, d := range docs {
		b.Add(Part{d, 1})
		bags[i] = b.Bag()
		post += len(bags[i].counts)
	}
	took := time.Since(start)
	fmt.Printf("docs %d, %d MB, bags %v = %.0f MB/s, postings %d per doc\n", len(docs), total>>20, took, float64(total)/1e6/took.Seconds(), post/len(docs))
	s := openScratch(t)
	x := Index{"search"}
	start = time.Now()
	for from := 0; from < len(docs); from += 700 {
		var add []Doc
		for i := from; i < min(from+700, len(docs)); i++ {
			add = append(add, Doc{fmt.Sprintf("labcdef12\x00\x00\x00\x00\x00%08d", i), bags[i]})
		}
		if err := s.Update(context.Background(), func(tx kv.Tx) error { return x.Add(tx, add) }); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Println("add", time.Since(start))
	s.View(context.Background(), func(tx kv.Tx) error {
		all, _ := x.segments(tx)
		pages, n := 0, 0
		for _, sg := range all {
			pages += sg.size
		}
		for r, err := range tx.Scan(x.Bucket, kv.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			n += len(r.Key) + len(r.Value)
		}
		fmt.Printf("%d segments, pages %d = %.1f%%, all %.1f%%\n", len(all), pages, 100*float64(pages)/float64(total), 100*float64(n)/float64(total))
		for _, q := range []string{"connection refused", "func error return", "parseConfig http2 server handshake timeout negotiation", "bigmod", "how do I read the file in chunks from the reader"} {
			start := time.Now()
			hits, total, err := x.Find(tx, q, 10)
			fmt.Println(q, time.Since(start), len(hits), total, err)
		}
		return nil
	})
	sz, _ := s.Size(context.Background())
	fmt.Println("file", sz.Records>>20)
}

func openScratch(t *testing.T) kv.Store { return storetest.Open(t) }
