package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/tokens"
)

// A short piece is counted longRuns times, a long one until longAbout has passed.
const (
	longRuns  = 20
	longAbout = 300 * time.Millisecond
)

// kind is a kind of text without the borders that a counter needs to be fast.
type kind struct {
	name string
	at   func(i int, r *rand.Rand) rune // its i-th character
}

var kinds = []kind{
	{"one letter", only("a")},
	{"two letters in turn", only("ab")},
	{"base64", among("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")},
	{"digits", among("0123456789")},
	{"equals signs", only("=")},
	{"newlines", only("\n")},
	{"random letters", among("abcdefghijklmnopqrstuvwxyz")},
	{"spaces", only(" ")},
	{"random ideographs", func(_ int, r *rand.Rand) rune { return '一' + r.Int32N('鿿'-'一') }},
}

// only repeats a text, among takes any of its letters.
func only(text string) func(int, *rand.Rand) rune {
	return func(i int, _ *rand.Rand) rune { return rune(text[i%len(text)]) }
}

func among(text string) func(int, *rand.Rand) rune {
	return func(_ int, r *rand.Rand) rune { return rune(text[r.IntN(len(text))]) }
}

// text returns size bytes, or a few less; the same for all counters.
func (k kind) text(size int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var text []byte
	for i := 0; len(text)+utf8.UTFMax <= size; i++ {
		text = utf8.AppendRune(text, k.at(i, rng))
	}
	return text
}

// curve is how long one counter takes for one kind of piece, by its size.
type curve struct {
	counter, kind string
	points        []point
	end           error // why there are no more points: errSlow, errBroken or nil
}

// point is the time that a piece of a size in bytes took.
type point struct {
	size int
	took time.Duration
}

// speed returns the speed of a point in MB/s.
func (p point) speed() float64 { return float64(p.size) / 1e6 / p.took.Seconds() }

// measureLongPieces measures single pieces of all kinds, from 1 KB to 4 MB, compared with the
// sizes that npm's counters can handle. Our speed on prose is measured just before.
func (b *bench) measureLongPieces(ctx context.Context, texts []corpus) error {
	var prose float64 // in MB/s
	err := b.withCounter(ctx, own, tokens.O200kBase.String(), func(c *counter) error {
		r, err := c.ask("count", texts[1].path, 20, time.Minute, 0)
		prose = float64(texts[1].size) / 1e6 / r.took.median().Seconds()
		return err
	})
	if err != nil {
		return err
	}
	var curves []curve
	for _, name := range slices.Concat([]string{own}, npmCounters) {
		for _, k := range kinds {
			c, err := b.longPieces(ctx, name, k)
			if err != nil {
				return err
			}
			curves = append(curves, c)
		}
	}
	b.report.grids = append(b.report.grids, longGrid(curves, prose, b.patience))
	b.report.images = append(b.report.images, image{"long-pieces.svg", "time to count a single piece, over its size, of ctxledger and of npm's counters", plot(curves)})
	return nil
}

// longPieces measures one counter on one kind of piece.
func (b *bench) longPieces(ctx context.Context, name string, k kind) (c curve, err error) {
	c = curve{counter: name, kind: k.name}
	process, err := b.startCounter(ctx, name, tokens.O200kBase.String())
	if err != nil {
		return c, err
	}
	defer func() {
		if leaves := process.close(); c.end == nil {
			err = errors.Join(err, leaves)
		}
	}()
	for _, size := range longSizes(name) {
		if n := len(c.points); n > 0 && c.points[n-1].took > b.patience/4 { // the next one is four times as long
			c.end = errSlow
			return c, nil
		}
		text := k.text(size)
		path := filepath.Join(b.temp, "piece.txt")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return c, err
		}
		limit := b.patience
		if len(c.points) == 0 {
			limit += time.Minute // it loads its tables
		}
		r, err := process.ask("piece", path, longRuns, longAbout, limit)
		switch {
		case ctx.Err() != nil:
			return c, ctx.Err()
		case errors.Is(err, errSlow), errors.Is(err, errBroken):
			c.end = err
			return c, nil
		case err != nil:
			return c, err
		}
		c.points = append(c.points, point{len(text), r.took.median()})
	}
	return c, nil
}

// longSizes are the sizes of pieces; ours gets one more.
func longSizes(name string) []int {
	sizes := []int{1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20}
	if name == own {
		sizes = append(sizes, 4<<20)
	}
	return sizes
}

// longGrid is the table of the longest pieces.
func longGrid(curves []curve, prose float64, patience time.Duration) grid {
	g := grid{
		title: fmt.Sprintf("Long pieces, o200k_base: ours at 1 MB, compared with its %.0f MB/s on prose, and how the time grows from 1 to 4 MB; "+
			"npm's at the longest that they count within %v.", prose, patience),
		header: slices.Concat([]string{"a piece of", own, "prose is faster", "4 MB takes"}, npmCounters),
	}
	for i, k := range kinds {
		ours := curves[i].points
		mb, four := ours[len(ours)-2], ours[len(ours)-1]
		row := []string{k.name, fmt.Sprintf("%.1f MB/s", mb.speed()), fmt.Sprintf("%.1f ×", prose/mb.speed()), ratio(four.took, mb.took) + " the time"}
		for j := range npmCounters {
			row = append(row, curves[(j+1)*len(kinds)+i].longest())
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// longest prints the speed for the longest piece and what ended the curve.
func (c curve) longest() string {
	if len(c.points) == 0 {
		return c.end.Error()
	}
	p := c.points[len(c.points)-1]
	cell := fmt.Sprintf("%s at %s", strings.TrimSuffix(fmt.Sprintf("%.2g", p.speed()), ".0")+" MB/s", sizeName(p.size))
	if c.end != nil {
		cell += ", then " + c.end.Error()
	}
	return cell
}

// sizeName prints a size that is about a power of two.
func sizeName(n int) string {
	if n = n + 4; n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d KB", n>>10)
}
