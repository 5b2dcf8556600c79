package backoffsim

import "time"

// event is the arrival of a client's message at the server. A client has one under way at a time.
type event struct {
	at     time.Duration
	client int
}

// queue is a binary heap with the earliest event first. container/heap would box each of some ten million events.
type queue []event

func (q *queue) push(e event) {
	*q = append(*q, e)
	i := len(*q) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if (*q)[parent].at <= e.at {
			break
		}
		(*q)[i] = (*q)[parent]
		i = parent
	}
	(*q)[i] = e
}

// pop takes the earliest out.
func (q *queue) pop() {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	if last > 0 {
		q.replace(e)
	}
}

// replace puts an event in the place of the earliest.
func (q queue) replace(e event) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if right := child + 1; right < len(q) && q[right].at < q[child].at {
			child = right
		}
		if e.at <= q[child].at {
			break
		}
		q[i] = q[child]
		i = child
	}
	q[i] = e
}
