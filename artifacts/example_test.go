package artifacts_test

import (
	"fmt"

	"ctxledger.dev/artifacts"
)

func ExampleRead() {
	log := artifacts.Text([]byte("build\ntest\nerror: missing file\ndone\n"))
	p, err := artifacts.Read(log, artifacts.Selection{Grep: "error", Context: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s of %d lines\n%s", p.Range, p.TotalLines, p.Text)
	// Output:
	// 1 match of 4 lines
	// 2-test
	// 3:error: missing file
	// 4-done
}
