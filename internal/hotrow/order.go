package hotrow

import "slices"

// order returns in which order k strategies take their turns in a round. Over k rounds (2k, if k is odd) each comes
// right after each other one equally often: who always followed a strategy that leaves the server with much to clean
// up would be the slower for it. Another number of rounds does not balance: in 5 rounds of 7 strategies some come right
// after the same one twice, and after others never.
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
