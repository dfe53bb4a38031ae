package filecount

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/tokens"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Between listing and counting a directory once could be replaced by a link that led elsewhere.
func TestALinkThatTakesADirectorysPlaceLeadsNowhere(t *testing.T) {
	base := t.TempDir()
	dir, elsewhere := filepath.Join(base, "dir"), filepath.Join(base, "elsewhere")
	for _, name := range []string{"dir/sub", "elsewhere"} {
		must(t, os.MkdirAll(filepath.Join(base, name), 0o700))
		must(t, os.WriteFile(filepath.Join(base, name, "a.txt"), []byte("text"), 0o600))
	}
	swapped := false
	c := New(t.Context(), Options{
		Counter: tokens.O200kBase.Counter(),
		Open:    func(x *Text) (io.ReadCloser, error) { return os.Open(x.Place) },
		Found: func(int64) { // the file is listed, and not yet opened
			must(t, os.Rename(filepath.Join(dir, "sub"), filepath.Join(base, "moved")))
			if err := os.Symlink(elsewhere, filepath.Join(dir, "sub")); err != nil {
				t.Skip(err)
			}
			swapped = true
		},
	})
	_, err := c.Dir("dir", dir)
	texts, err := c.Done(err)
	if err != nil || len(texts) != 1 || !swapped {
		t.Fatalf("%d texts, %v", len(texts), err)
	}
	if texts[0].Err == nil {
		t.Errorf("counted behind a link: %+v", texts[0])
	}
}

func TestADirectoryThatCannotBeReadIsATextThatFailed(t *testing.T) {
	root := t.TempDir()
	tree, err := safefs.Open(root)
	must(t, err)
	defer tree.Close() // only read
	var got []*Text
	w := walker{tree: tree, root: root, yield: func(x *Text, _ fs.DirEntry) error { got = append(got, x); return nil }}
	err = w.dir(&repository{}, "gone", "shown/gone", step{place: filepath.Join(root, "gone"), at: "gone"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Name != "shown/gone" || got[0].Err == nil {
		t.Errorf("%+v", got)
	}
}

// TestATextIsCountedAsItIsRead: the mark of the byte order was a token here and nowhere else, and UTF-16 was no text.
func TestATextIsCountedAsItIsRead(t *testing.T) {
	dir := t.TempDir()
	wide, big := "\xff\xfe", "\xfe\xff"
	for _, c := range "don't panic\n" {
		wide, big = wide+string(c)+"\x00", big+"\x00"+string(c)
	}
	for name, text := range map[string]string{"plain": "don't panic\n", "marked": "\ufeffdon't panic\n", "wide": wide,
		"big": big, "binary": "don't\x00panic\n"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	c := New(t.Context(), Options{Counter: tokens.O200kBase.Counter()})
	_, err := c.Dir("dir", dir)
	texts, err := c.Done(err)
	if err != nil || len(texts) != 5 {
		t.Fatalf("%d texts, %v", len(texts), err)
	}
	want := tokens.O200kBase.CountString("don't panic\n")
	for _, x := range texts {
		binary := filepath.Base(x.Name) == "binary"
		if (x.Err == ErrBinary) != binary || !binary && x.Count.N != want {
			t.Errorf("%s: %+v, %v, want %d", x.Name, x.Count, x.Err, want)
		}
		info, err := os.Stat(filepath.Join(dir, filepath.Base(x.Name)))
		if err != nil || !binary && x.Read.Bytes != info.Size() {
			t.Errorf("%s: %d bytes, not as its directory says, %v", x.Name, x.Read.Bytes, err)
		}
	}
}
