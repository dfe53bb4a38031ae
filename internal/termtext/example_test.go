package termtext_test

import (
	"fmt"

	"ctxledger.dev/internal/termtext"
)

func ExampleRender() {
	out := []byte("fetching\r\n\x1b[32m 10%\x1b[0m\r 50%\r100%\nlayer 1: waiting\n\x1b[A\x1b[2Klayer 1: done\n")
	fmt.Println(string(termtext.Render(nil, out)))
	// Output:
	// fetching
	// 100%
	// layer 1: done
}
