package hotrow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// request is a line to a worker: first Open, then any number of Take. One is answered before the next is sent.
type request struct {
	Open *outfit `json:"open,omitempty"`
	Take *turn   `json:"take,omitempty"`
}

// answer is a line from a worker.
type answer struct {
	Tally *tally `json:"tally,omitempty"` // of a turn
	Error string `json:"error,omitempty"`
}

// Serve is the work of a process that Setup.Worker starts: it takes orders from in and answers to out, by lines of
// JSON, until in ends; what is then under way is cut off. The DSN is among the orders, so that it is neither in the
// arguments nor in the environment.
//
// The process ends with its input, so it should ignore os.Interrupt, which a terminal sends to all processes at
// once: the one that started it decides. When Serve returns before in has ended, a goroutine is left in in.Read.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	requests := make(chan request)
	go func() {
		for lines := json.NewDecoder(in); ; {
			var r request
			if err := lines.Decode(&r); err != nil {
				cancel(err)
				return
			}
			select {
			case requests <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	var w worker
	defer w.close()
	for answers := json.NewEncoder(out); ; {
		select {
		case r := <-requests:
			if err := answers.Encode(w.answer(ctx, r)); err != nil {
				return fmt.Errorf("answer: %w", err)
			}
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		}
	}
}

// worker is the crowd of a process that serves, once it is opened.
type worker struct{ crowd *crowd }

func (w *worker) answer(ctx context.Context, r request) answer {
	var t tally
	var err error
	switch {
	case r.Open != nil && w.crowd == nil:
		if w.crowd, err = openCrowd(*r.Open); err == nil {
			return answer{}
		}
	case r.Take != nil && w.crowd != nil:
		if t, err = w.crowd.take(ctx, *r.Take); err == nil {
			return answer{Tally: &t}
		}
	default:
		err = errors.New("a worker is opened once, before its first turn")
	}
	return answer{Error: err.Error()}
}

func (w *worker) close() {
	if w.crowd != nil {
		w.crowd.close()
	}
}
