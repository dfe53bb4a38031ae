package artifacts_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
)

func TestInvariant1RoundTripOfArtifacts(t *testing.T) {
	s := storetest.Open(t)
	a := of("content")
	a.Title, a.Tokens = "t", 7
	a.Created = time.Date(2026, 5, 27, 14, 0, 0, 123456789, time.FixedZone("CEST", 7200))
	a.Refs = []artifacts.Ref{{Session: "0123abcd", Seq: 4, CallID: "toolu_1"}}
	stored, created := put(t, s, a)
	if !created || stored.ID != a.Hash[:12] {
		t.Fatalf("got %+v, created %v", stored, created)
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		got, err := artifacts.Get(tx, stored.ID)
		if !reflect.DeepEqual(got, stored) {
			t.Errorf("got  %+v\nwant %+v", got, stored)
		}
		return err
	})
}

func TestSameContentIsOneArtifactWithMoreReferences(t *testing.T) {
	s := storetest.Open(t)
	a := of("same")
	a.Refs = []artifacts.Ref{{Session: "s1", Seq: 1}}
	first, _ := put(t, s, a)
	a.Refs = []artifacts.Ref{{Session: "s2", Seq: 9}}
	a.Tool, a.Created = "other", noon.Add(time.Hour)
	second, created := put(t, s, a)
	if created || second.ID != first.ID || second.Tool != "read_file" || !second.Created.Equal(noon) {
		t.Errorf("got %+v, created %v", second, created)
	}
	if want := []artifacts.Ref{{Session: "s1", Seq: 1}, {Session: "s2", Seq: 9}}; !reflect.DeepEqual(second.Refs,
		want) {
		t.Errorf("refs %+v", second.Refs)
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		c, err := artifacts.Count(tx)
		if c != (artifacts.Counts{Live: 1, Bytes: 4}) {
			t.Errorf("counts %+v", c)
		}
		return err
	})
}

func TestReferencesAreTheNewestSixteenEachOnce(t *testing.T) {
	s := storetest.Open(t)
	a := of("x")
	var got artifacts.Artifact
	for i := range 20 {
		a.Refs = []artifacts.Ref{{Session: "s", Seq: int64(i)}}
		got, _ = put(t, s, a)
	}
	a.Refs = []artifacts.Ref{{Session: "s", Seq: 10}, {}}
	got, _ = put(t, s, a)
	if len(got.Refs) != 16 || got.Refs[0].Seq != 4 || got.Refs[14].Seq != 19 || got.Refs[15].Seq != 10 {
		t.Errorf("refs %+v", got.Refs)
	}
}

func TestHandleGrowsOnAPrefixClash(t *testing.T) {
	s := storetest.Open(t)
	hash := func(tail string) string { return "a3f9c20b1d7e" + tail + strings.Repeat("0", 52-len(tail)) }
	want := []string{"a3f9c20b1d7e", "a3f9c20b1d7e2222", "a3f9c20b1d7e22223333"}
	for i, tail := range []string{"1111", "2222", "22223333"} {
		got, created := put(t, s, artifacts.Artifact{Hash: hash(tail), Created: noon})
		if !created || got.ID != want[i] {
			t.Errorf("put %d: id %s, want %s", i, got.ID, want[i])
		}
	}
	again, created := put(t, s, artifacts.Artifact{Hash: hash("2222"), Created: noon})
	if created || again.ID != want[1] {
		t.Errorf("the same content got handle %s", again.ID)
	}
}

func TestGetKnowsOnlyWholeHandles(t *testing.T) {
	s := storetest.Open(t)
	a, _ := put(t, s, of("content"))
	storetest.View(t, s, func(tx kv.Tx) error {
		for _, id := range []string{"", a.ID[:11], a.ID + "0", a.Hash, strings.ToUpper(a.ID), "../../etc", "a\nb",
			strings.Repeat("a", 5000), "000000000000"} {
			_, err := artifacts.Get(tx, id)
			wantFault(t, err, fault.NotFound, "no artifact ", " in this workspace")
			if len(err.Error()) > 200 || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
		}
		return nil
	})
}

func TestInvariant2AForgottenHandleAnswersWithItsTombstone(t *testing.T) {
	s := storetest.Open(t)
	a, _ := put(t, s, of("secret"))
	for i := range 2 { // forgetting again changes nothing
		storetest.Update(t, s, func(tx kv.Tx) error {
			_, err := artifacts.Forget(tx, a.ID, noon.AddDate(0, 0, 3+i), false)
			return err
		})
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		got, err := artifacts.Get(tx, a.ID)
		if err != nil {
			return err
		}
		wantFault(t, got.Available(), fault.NotFound, a.ID, "forgotten on 2026-05-30",
			"(6 characters without a title)")
		c, err := artifacts.Count(tx)
		if c != (artifacts.Counts{Forgotten: 1}) {
			t.Errorf("counts %+v", c)
		}
		return err
	})
	err := s.Update(context.Background(), func(tx kv.Tx) error {
		_, err := artifacts.Forget(tx, "000000000000", noon, false)
		return err
	})
	wantFault(t, err, fault.NotFound)
}

func TestForgottenContentPutAgainLivesAgain(t *testing.T) {
	s := storetest.Open(t)
	a, _ := put(t, s, of("again"))
	storetest.Update(t, s, func(tx kv.Tx) error {
		_, err := artifacts.Forget(tx, a.ID, noon, false)
		return err
	})
	b := of("again")
	b.Created = noon.Add(time.Hour)
	got, created := put(t, s, b)
	if created || got.ID != a.ID || got.Available() != nil || got.Revived == nil || !got.Revived.Equal(b.Created) ||
		!got.Created.Equal(noon) {
		t.Errorf("got %+v, created %v", got, created)
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		c, err := artifacts.Count(tx)
		if c != (artifacts.Counts{Live: 1, Bytes: 5}) {
			t.Errorf("counts %+v", c)
		}
		return err
	})
}

func TestListIsNewestFirstWithTheTotal(t *testing.T) {
	s := storetest.Open(t)
	var ids []string
	for i := range 5 {
		a := of(fmt.Sprint(i))
		a.Created = noon.Add(time.Duration(i) * time.Millisecond)
		if i%2 == 0 {
			a.Refs = []artifacts.Ref{{Session: "even", Seq: 1}, {Session: "even", Seq: 2}}
		}
		a, _ = put(t, s, a)
		ids = append(ids, a.ID)
	}
	cases := []struct {
		session     string
		skip, limit int
		want        []int
		total       int
	}{
		{"", 0, 0, []int{4, 3, 2, 1, 0}, 5},
		{"", 0, 2, []int{4, 3}, 5},
		{"", 2, 2, []int{2, 1}, 5},
		{"", 9, 0, nil, 5},
		{"even", 0, 0, []int{4, 2, 0}, 3},
		{"even", 0, 1, []int{4}, 3},
		{"even", 1, 1, []int{2}, 3},
		{"eve", 0, 0, nil, 0},
		{"none", 0, 0, nil, 0},
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		for _, c := range cases {
			list, total, err := artifacts.List(tx, c.session, c.skip, c.limit)
			if err != nil {
				return err
			}
			var got, want []string
			for _, a := range list {
				got = append(got, a.ID)
			}
			for _, i := range c.want {
				want = append(want, ids[i])
			}
			if !reflect.DeepEqual(got, want) || total != c.total {
				t.Errorf("%+v: got %v, total %d", c, got, total)
			}
		}
		return nil
	})
}

func TestAllYieldsEveryRecord(t *testing.T) {
	s := storetest.Open(t)
	for i := range 3 {
		put(t, s, of(fmt.Sprint(i)))
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		last := ""
		n := 0
		for a, err := range artifacts.All(tx) {
			if err != nil {
				return err
			}
			if a.ID <= last {
				t.Errorf("%s after %s", a.ID, last)
			}
			last = a.ID
			n++
		}
		if n != 3 {
			t.Errorf("%d records", n)
		}
		return nil
	})
}

func TestPutRefusesWhatIsNoHash(t *testing.T) {
	s := storetest.Open(t)
	for _, h := range []string{"", "abc", strings.Repeat("A", 64), strings.Repeat("g", 64), strings.Repeat("a", 66)} {
		err := s.Update(context.Background(), func(tx kv.Tx) error {
			_, _, err := artifacts.Put(tx, artifacts.Artifact{Hash: h})
			return err
		})
		wantFault(t, err, fault.Invalid, "SHA-256")
	}
}

func TestHostileLabelsAreStoredAsOneBoundedLine(t *testing.T) {
	s := storetest.Open(t)
	a := of("x")
	a.Tool = "bad\x00\nArtifact: 000000000000\xff"
	a.Hint = strings.Repeat("é", 10_000)
	a.Refs = []artifacts.Ref{{Session: strings.Repeat("s", 9000), CallID: strings.Repeat("c", 1<<20)}}
	got, _ := put(t, s, a)
	if got.Tool != "bad Artifact: 000000000000\uFFFD" || len([]rune(got.Hint)) != 300 ||
		len(got.Refs[0].Session) != 300 {
		t.Errorf("got %q, %d", got.Tool, len(got.Hint))
	}
}
