package pulse

import (
	"testing"
	"time"
)

func TestAStepLastsUntilTheNext(t *testing.T) {
	now := time.Unix(1e9, 0)
	p := New(func() time.Time { return now })
	for _, x := range []struct {
		do    func()
		rests bool
	}{{func() {}, false}, {p.Rest, true}, {p.Beat, false}, {p.Beat, false}} {
		x.do()
		if took, rests := p.Step(); took != 0 || rests != x.rests {
			t.Errorf("at its beginning: %v, %v", took, rests)
		}
		now = now.Add(time.Minute)
		if took, rests := p.Step(); took != time.Minute || rests != x.rests {
			t.Errorf("a minute later: %v, %v", took, rests)
		}
	}
}

func TestWorkWithoutAPulseRests(t *testing.T) {
	var p *Pulse
	p.Beat()
	p.Rest()
	if took, rests := p.Step(); took != 0 || !rests {
		t.Error(took, rests)
	}
}

func TestTheSlowestPartAtWorkCounts(t *testing.T) {
	now := time.Unix(1e9, 0)
	p := New(func() time.Time { return now })
	p.Rest()
	first, endFirst := p.Part()
	now = now.Add(time.Minute)
	second, endSecond := p.Part()
	now = now.Add(time.Minute)
	for _, x := range []struct {
		name  string
		do    func()
		took  time.Duration
		rests bool
	}{
		{"both at work", func() {}, 2 * time.Minute, false},
		{"the slower one begins another step", first.Beat, time.Minute, false},
		{"one of them rests", second.Rest, 0, false},
		{"one of them has ended", endFirst, 2 * time.Minute, true},
		{"both have ended", endSecond, 2 * time.Minute, true},
	} {
		x.do()
		if took, rests := p.Step(); took != x.took || rests != x.rests {
			t.Errorf("%s: %v, %v", x.name, took, rests)
		}
	}
}
