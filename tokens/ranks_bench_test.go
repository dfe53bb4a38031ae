package tokens

import "testing"

// BenchmarkParseRanks is the time that the first count for a model with a rank file pays.
func BenchmarkParseRanks(b *testing.B) {
	for _, r := range rankFiles {
		file := rankFile(b, r.npm)
		b.Run(r.family.String(), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				if _, err := ParseRanks(r.family, file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCountWithRanks counts Go source and text in many languages, compared with o200k_base.
func BenchmarkCountWithRanks(b *testing.B) {
	texts := map[string][]byte{"go": goSource(b)}
	for _, c := range corpora {
		if c.name == "multi" || c.name == "zh" {
			texts[c.name] = []byte(c.text(c.size))
		}
	}
	for name, text := range texts {
		for _, r := range rankFiles {
			b.Run(name+"/"+r.family.String(), func(b *testing.B) { benchmarkRanked(b, r.encoded(b), text) })
		}
		b.Run(name+"/o200k_base", func(b *testing.B) { benchmarkRanked(b, O200kBase, text) })
	}
}

func benchmarkRanked(b *testing.B, e *Encoding, text []byte) {
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		e.Count(text)
	}
}
