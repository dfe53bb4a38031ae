package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// sampleCurves has a line for each counter and kind, all close together.
func sampleCurves() []curve {
	var curves []curve
	for i, name := range append([]string{own}, npmCounters...) {
		for j, k := range kinds {
			c := curve{counter: name, kind: k.name}
			for _, size := range longSizes(name) {
				nanos := float64(size) * (20 + float64(j))
				if name != own {
					nanos = float64(size) * float64(size) * float64(i)
				}
				if nanos > 4e9 {
					c.end = errSlow
					break
				}
				c.points = append(c.points, point{size, time.Duration(nanos)})
			}
			curves = append(curves, c)
		}
	}
	return curves
}

func TestThePlotIsWellFormedAndNamesEverything(t *testing.T) {
	svg := string(plot(sampleCurves()))
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range kinds {
		if !strings.Contains(svg, ">"+k.name+"</text>") {
			t.Errorf("%s has no label", k.name)
		}
	}
	for _, name := range append([]string{"linear", "quadratic", "1 KB", "4 MB", "1 µs", "10 s"}, npmCounters...) {
		if !strings.Contains(svg, ">"+name+"</text>") {
			t.Errorf("%s is not named", name)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("a point is nowhere")
	}
}

func TestLabelsOfLinesDoNotOverlap(t *testing.T) {
	for _, ends := range [][]float64{{100, 100, 100, 101}, {panelBottom, panelBottom, panelBottom - 1}, {70, 300, 90}, nil} {
		var labels []label
		for _, y := range ends {
			labels = append(labels, label{end: y})
		}
		labels = spread(labels)
		for i, l := range labels {
			if l.at > panelBottom || l.at < panelTop-labelGap || i > 0 && l.at-labels[i-1].at < labelGap {
				t.Errorf("%v are labelled at %v", ends, labels)
			}
		}
	}
}

func TestATextOfAKindIsAlwaysTheSame(t *testing.T) {
	const size = 1 << 10
	for _, k := range kinds {
		text := k.text(size)
		if k.text(size - 1); !bytes.Equal(k.text(size), text) || len(text) > size || len(text) < size-utf8.UTFMax {
			t.Errorf("%s: %d bytes", k.name, len(text))
		}
	}
}
