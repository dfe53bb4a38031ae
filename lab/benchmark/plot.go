package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// images is the directory of the document's pictures.
const images = "images"

// image is a picture of the document.
type image struct {
	name, alt string // "long-pieces.svg"; what it shows
	svg       []byte
}

// write writes the picture to the document's directory of pictures.
func (i image) write() error {
	directory := filepath.Join(filepath.Dir(document), images)
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, i.name), i.svg, 0o644)
}

// The plot has two panels with the same axes, both logarithmic, so that the exponent of a growth is a
// slope: ours on the left, a line for each kind of piece, npm's counters on the right, a colour for each.
const (
	plotWidth, plotHeight = 960, 460
	panelTop, panelBottom = 44, 410
	leftFrom, leftTo      = 62, 400
	rightFrom, rightTo    = 600, 930
	labelGap              = 15.0 // between the labels of two lines, in pixels
	smallest, largest     = 1 << 10, 4 << 20
	shortest, longestTime = time.Microsecond, 10 * time.Second
)

// plotStyle has the colours for light and for dark pages. Lines also have labels.
const plotStyle = `
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; font-size: 13px; }
.tick { fill: #59636e; font-size: 11px; }
.page { fill: #ffffff; }
.halo { stroke: #ffffff; stroke-width: 4; paint-order: stroke; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
.slope { stroke: #59636e; stroke-width: 1.2; stroke-dasharray: 5 4; fill: none; }
.leader { stroke: #8c959f; stroke-width: 0.7; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.c0 { stroke: #0969da; } .c1 { stroke: #bc4c00; } .c2 { stroke: #1a7f37; } .c3 { stroke: #8250df; } .c4 { stroke: #9a6700; }
.c5 { stroke: #0f8a8a; } .c6 { stroke: #cf222e; } .c7 { stroke: #bf3989; } .c8 { stroke: #57606a; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; } .tick { fill: #9198a1; } .page { fill: #0d1117; } .halo { stroke: #0d1117; } .grid { stroke: #3d444d; } .slope { stroke: #9198a1; } .leader { stroke: #656c76; }
.c0 { stroke: #4493f8; } .c1 { stroke: #f0883e; } .c2 { stroke: #3fb950; } .c3 { stroke: #ab7df8; } .c4 { stroke: #d29922; }
.c5 { stroke: #39c5cf; } .c6 { stroke: #f85149; } .c7 { stroke: #db61a2; } .c8 { stroke: #8b949e; }
}
`

// panel is a part of the plot between two positions.
type panel struct {
	*bytes.Buffer
	from, to float64
}

// plot draws the time over the size of a piece.
func plot(curves []curve) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, "<title>Time to count a single piece, over its size</title>\n<style>%s</style>\n", plotStyle)
	fmt.Fprintf(&b, `<rect class="page" width="%d" height="%d"/>`+"\n", plotWidth, plotHeight)
	left, right := panel{&b, leftFrom, leftTo}, panel{&b, rightFrom, rightTo}
	left.axes("ctxledger, a piece of")
	right.axes("npm's counters, the same pieces")
	left.kinds(curves)
	right.counters(curves)
	left.slopes()
	right.slopes()
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// x is the position of a size, y that of a time.
func (p panel) x(size int) float64 {
	return p.from + (p.to-p.from)*math.Log(float64(size)/smallest)/math.Log(largest/smallest)
}

func (panel) y(d time.Duration) float64 {
	return panelBottom - (panelBottom-panelTop)*math.Log(float64(d)/float64(shortest))/math.Log(float64(longestTime)/float64(shortest))
}

// text writes a text at a position.
func (p panel) text(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(p, `<text class="%s" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, anchor, x, y, text)
}

// line draws through points, given as x, y, x, y.
func (p panel) line(class string, xy ...float64) {
	var points []string
	for at := range slices.Chunk(xy, 2) {
		points = append(points, fmt.Sprintf("%.1f,%.1f", at[0], at[1]))
	}
	fmt.Fprintf(p, `<polyline class="%s" points="%s"/>`+"\n", class, strings.Join(points, " "))
}

// axes draws the grid with its names.
func (p panel) axes(title string) {
	p.text("title", "start", p.from, panelTop-18, title)
	for size := smallest; size <= largest; size *= 4 {
		p.line("grid", p.x(size), panelTop, p.x(size), panelBottom)
		p.text("tick", "middle", p.x(size), panelBottom+17, sizeName(size))
	}
	for d := shortest; d <= longestTime; d *= 10 {
		p.line("grid", p.from, p.y(d), p.to, p.y(d))
		p.text("tick", "end", p.from-6, p.y(d)+4, timeName(d))
	}
	p.text("tick", "middle", (p.from+p.to)/2, panelBottom+36, "bytes of the piece")
}

// slopes draws linear and quadratic growth for reference, above the lines.
func (p panel) slopes() {
	p.slope("linear", 1, 400*time.Microsecond)
	p.slope("quadratic", 2, 400*time.Microsecond)
}

// timeName prints a power of ten.
func timeName(d time.Duration) string {
	number := strings.TrimRight(d.String(), "nµms")
	return number + " " + strings.TrimPrefix(d.String(), number)
}

// slope draws a growth by a power of the size, from a time for the smallest on, until it leaves the panel.
func (p panel) slope(name string, power float64, from time.Duration) {
	end := smallest * math.Pow(float64(longestTime)/float64(from), 1/power)
	to := time.Duration(float64(from) * math.Pow(min(end, largest)/smallest, power))
	x, y := p.x(int(min(end, largest))), p.y(to)
	p.line("slope", p.x(smallest), p.y(from), x, y)
	angle := math.Atan2(y-p.y(from), x-p.x(smallest))
	at := 0.8 // of the way, a little above the line
	tx, ty := p.x(smallest)+at*(x-p.x(smallest))+6*math.Sin(angle), p.y(from)+at*(y-p.y(from))-6*math.Cos(angle)
	fmt.Fprintf(p, `<text class="tick halo" text-anchor="middle" transform="translate(%.1f %.1f) rotate(%.1f)">%s</text>`+"\n", tx, ty, angle*180/math.Pi, name)
}

// curve draws a line through the points of a curve.
func (p panel) curve(class string, c curve) {
	var xy []float64
	for _, at := range c.points {
		xy = append(xy, p.x(at.size), p.y(at.took))
	}
	p.line(class, xy...)
}

// kinds draws ours, each line with its label.
func (p panel) kinds(curves []curve) {
	var ends []label
	for i, c := range curves[:len(kinds)] {
		p.curve(fmt.Sprintf("line c%d", i), c)
		if n := len(c.points); n > 0 {
			ends = append(ends, label{c.kind, p.y(c.points[n-1].took), 0})
		}
	}
	for _, l := range spread(ends) {
		p.line("leader", p.to, l.end, p.to+22, l.at)
		p.text("", "start", p.to+26, l.at+4, l.name)
	}
}

// label is the name of a line: where the line ends and the position of its name.
type label struct {
	name    string
	end, at float64
}

// spread moves names apart that would overlap, downwards, and all upwards if that leaves the panel.
func spread(labels []label) []label {
	slices.SortFunc(labels, func(a, b label) int { return cmp.Compare(a.end, b.end) })
	above := math.Inf(-1)
	for i := range labels {
		labels[i].at = max(labels[i].end, above+labelGap)
		above = labels[i].at
	}
	below := float64(panelBottom) + labelGap
	for i := range slices.Backward(labels) {
		labels[i].at = min(labels[i].at, below-labelGap)
		below = labels[i].at
	}
	return labels
}

// counters draws npm's, a colour for each counter.
func (p panel) counters(curves []curve) {
	for i, c := range curves[len(kinds):] {
		p.curve(fmt.Sprintf("line c%d", i/len(kinds)), c)
	}
	x, y := p.x(128<<10), p.y(200*time.Microsecond) // faster than any of them
	fmt.Fprintf(p, `<rect class="page" x="%.1f" y="%.1f" width="136" height="%.1f"/>`+"\n", x-8, y-14, 8+float64(len(npmCounters))*(labelGap+4))
	for i, name := range npmCounters {
		p.line(fmt.Sprintf("line c%d", i), x, y, x+16, y)
		p.text("", "start", x+22, y+4, name)
		y += labelGap + 4
	}
}
