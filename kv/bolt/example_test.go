package bolt_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/bolt"
)

func ExampleOpen() {
	parent, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "state")

	store, err := bolt.Open(dir, kv.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	ctx := context.Background()
	err = store.Update(ctx, func(tx kv.Tx) error {
		return tx.Put("greetings", []byte("en"), []byte("hello"))
	})
	fmt.Println("stored:", err)

	err = store.View(ctx, func(tx kv.Tx) error {
		value, err := tx.Get("greetings", []byte("en"))
		fmt.Printf("read: %s\n", value)
		return err
	})
	fmt.Println(err)

	_, err = bolt.Open(dir, kv.Options{})
	fmt.Println("locked:", fault.Is(err, fault.Locked))
	// Output:
	// stored: <nil>
	// read: hello
	// <nil>
	// locked: true
}
