package hotrow

import "slices"

// order returns in which order k strategies take their turns in a round: all of them, and over k rounds (2k, if k
// is odd) each comes right after each other one equally often. Who follows a strategy that leaves the server with
// much to clean up would else be the slower for it.
//
// It is Williams' design: a zigzag, moved by one from round to round; and, where k is odd, backwards as well.
func order(k, round int) []int {
	all := make([]int, k)
	for i := range all {
		step := (i + 1) / 2 // 0, 1, k-1, 2, k-2, ...
		if i%2 == 0 {
			step = k - step
		}
		all[i] = (step + round) % k
	}
	if k%2 == 1 && round/k%2 == 1 {
		slices.Reverse(all)
	}
	return all
}
