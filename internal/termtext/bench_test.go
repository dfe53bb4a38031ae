package termtext

import (
	"fmt"
	"strings"
	"testing"
)

// samples are outputs of a megabyte, as commands write them.
func samples() map[string]string {
	const size = 1 << 20
	repeat := func(f func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(f(i))
		}
		return b.String()
	}
	return map[string]string{
		"plain": repeat(func(i int) string {
			return fmt.Sprintf("internal/termtext/screen.go:%d: a line of a compiler's output, as long as they are\n",
				i)
		}),
		"plain-crlf": repeat(func(i int) string {
			return fmt.Sprintf("src\\Service%d.cs(12,5): warning CS0168: unused variable\r\n", i)
		}),
		"progress": repeat(func(i int) string {
			return fmt.Sprintf("\r%3d%% [%-50s] %d/1000 files", i%100, strings.Repeat("=", i%50)+">", i%1000)
		}),
		"colours": repeat(func(i int) string {
			return fmt.Sprintf(
				"\x1b[32m✓\x1b[0m \x1b[1mrenders case %d\x1b[22m of the table \x1b[90m(%d ms)\x1b[39m\r\n", i, i%40)
		}),
		"redrawn": repeat(func(i int) string {
			s := ""
			for k := range 5 {
				s += fmt.Sprintf("\x1b[2K \x1b[36mlayer %d\x1b[0m Downloading %d MB\n", k, i)
			}
			return s + "\x1b[5A"
		}),
		"tabs": repeat(func(i int) string {
			return fmt.Sprintf("\tif err := run(%d); err != nil {\n\t\treturn err // line\n\t}\n", i)
		}),
		"chinese": repeat(func(i int) string { return fmt.Sprintf("第 %d 行：编译器的输出，长度与平常一样\n", i) }),
	}
}

func BenchmarkRender(b *testing.B) {
	for name, text := range samples() {
		b.Run(name, func(b *testing.B) {
			src, dst := []byte(text), []byte(nil)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				dst = Render(dst[:0], src)
			}
		})
	}
}

// BenchmarkModel is the terminal as one would write it without a thought of time, to compare with.
func BenchmarkModel(b *testing.B) {
	for name, text := range samples() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				modelRender(text)
			}
		})
	}
}
