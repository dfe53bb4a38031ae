package redact

import "testing"

func TestSmoke(t *testing.T) {
	r := New([]byte("k"))
	for _, s := range []string{"x ghp_" + "0123456789abcdefghijABCDEFGHIJ012345 y", `{"password":"hunter2x"}`, "postgres://bob:s3cretPw@h/db", "token := p.next2()"} {
		t.Log(r.String(s), r.Find([]byte(s)))
	}
}
