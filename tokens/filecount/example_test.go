package filecount_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"ctxledger.dev/tokens"
	"ctxledger.dev/tokens/filecount"
)

func Example() {
	dir, err := os.MkdirTemp("", "filecount")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir) // a temporary directory
	for name, text := range map[string]string{
		"a.txt": "some words", "b.log": "not these", ".gitignore": "*.log\n", "image": "\x00",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}

	t := filecount.New(context.Background(), filecount.Options{
		Counter: tokens.O200kBase.Counter(),
	})
	_, err = t.Dir("project", dir)
	texts, err := t.Done(err)
	for _, x := range texts {
		fmt.Println(filepath.ToSlash(x.Name), x.Count, x.Err)
	}
	fmt.Println(err)
	// Output:
	// project/.gitignore 3 <nil>
	// project/a.txt 2 <nil>
	// project/image 0 binary
	// <nil>
}
