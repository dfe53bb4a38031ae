package observe

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkStart measures what an observer does until it watches the files that sessions touched: 50
// files in 10 directories, whatever the size of the tree around them.
func BenchmarkStart(b *testing.B) {
	for _, size := range []int{200, 200_000} {
		b.Run(fmt.Sprint(size, " files"), func(b *testing.B) {
			w := newWorld(b, nil)
			fill(b, w.root, size)
			var names []string
			for i := range 50 {
				names = append(names, fmt.Sprintf("d%04d/f%02d", i%10, i/10))
			}
			w.read(names...)
			ob := w.observer()
			ob.refresh(b.Context()) // the first time all are new
			b.ResetTimer()
			for b.Loop() {
				ob := w.observer()
				ob.refresh(b.Context())
				if len(ob.dirs.all) != 10 {
					b.Fatalf("%d directories", len(ob.dirs.all))
				}
				b.ReportMetric(float64(ob.dirs.stamps), "files-looked-at")
				ob.close()
				<-w.handed
			}
		})
	}
}

// fill makes a tree of directories with 20 files each.
func fill(b *testing.B, root string, files int) {
	b.Helper()
	for i := range files / 20 {
		dir := filepath.Join(root, fmt.Sprintf("d%04d", i))
		must(b, os.Mkdir(dir, 0o700))
		for f := range 20 {
			must(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%02d", f)), nil, 0o600))
		}
	}
}

// BenchmarkLookAtAnUnchangedFile measures a touch of a file that is as it was.
func BenchmarkLookAtAnUnchangedFile(b *testing.B) {
	w := newWorld(b, map[string]string{"d/a.go": "x"})
	w.read("d/a.go")
	ob := w.observer()
	ob.refresh(b.Context())
	for b.Loop() {
		ob.cursor = 0
		ob.refresh(b.Context())
		<-w.handed
	}
}
