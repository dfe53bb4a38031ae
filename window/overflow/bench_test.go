package overflow

import (
	"strings"
	"testing"
)

// BenchmarkClassify reads a usual error, and the longest text that is read of an unknown one.
func BenchmarkClassify(b *testing.B) {
	for name, body := range map[string]string{
		"usual":    `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`,
		"longest":  strings.Repeat("input 12,345 tokens prompt contains ", maxChars/36),
		"echoed":   "prompt is too long " + strings.Repeat("input 12,345 tokens prompt contains ", maxChars/36),
		"brackets": strings.Repeat(`{"error":[`, maxBody/10),
	} {
		b.Run(name, func(b *testing.B) {
			r := Response{Status: 400, Body: []byte(body)}
			b.ReportAllocs()
			for b.Loop() {
				Classify(r, Request{})
			}
		})
	}
}
