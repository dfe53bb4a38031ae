package tokens

import "sync/atomic"

// shape is what a part of a text contributes to the features of the whole, but for tokens: with what is on either side,
// since a run may go on there. It never changes.
type shape struct {
	shaper       // of the part, as if it were at the start of a text
	first  uint8 // the class of its first byte
}

// follow takes the next part of the text, which is not empty: it is add for one that was read before.
func (s *shaper) follow(next *shape) {
	at, alone := steps[s.last<<3|next.first], steps[next.first]
	for k := FeatureWords; k <= FeatureCases; k++ {
		shift := shapeBits * int(k-FeatureWords)
		s.found[k] += next.found[k] + int(at>>shift&shapeRun) - int(alone>>shift&shapeRun)
	}
	s.last = next.last
}

// shape returns that of the item, which is computed once: items that an edit does not touch are shared.
func (i *item) shape() *shape {
	if i.leaf != nil {
		return kept(&i.leaf.shape, func(made *shape) {
			add(&made.shaper, i.leaf.text)
			made.first = shapeOf[i.leaf.text[0]]
		})
	}
	return kept(&i.node.shape, func(made *shape) {
		for k := range i.node.items {
			made.follow(i.node.items[k].shape())
		}
		made.first = i.node.items[0].shape().first
	})
}

// kept returns what is in its place, and makes it first if nothing is. Two callers at once make the same.
func kept(place *atomic.Pointer[shape], by func(*shape)) *shape {
	if known := place.Load(); known != nil {
		return known
	}
	made := &shape{}
	by(made)
	place.Store(made)
	return made
}

// addTo adds the bytes of the item from from to before to; both may lie outside of it.
func (i *item) addTo(s *shaper, from, to int) {
	switch {
	case from >= min(to, i.size) || to <= 0:
	case from <= 0 && to >= i.size:
		s.follow(i.shape())
	case i.leaf != nil:
		add(s, i.leaf.text[max(0, from):min(to, i.size)])
	default:
		for k := range i.node.items {
			part := &i.node.items[k]
			part.addTo(s, from, to)
			from, to = from-part.size, to-part.size
		}
	}
}

// Features returns those of the bytes from from to before to, what FeaturesOf gives for them. Positions are read as by
// Count. The index must be of O200kBase.
func (x *Index) Features(from, to int) Features {
	var s shaper
	if from >= to || x.size == 0 {
		return s.features(0)
	}
	_, from = x.border(from)
	_, to = x.border(to)
	x.addTo(&s, from, to)
	return s.features(x.Count(from, to))
}
