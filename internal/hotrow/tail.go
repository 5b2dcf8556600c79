package hotrow

import "sync"

// tailSize is about a screen: what a program says last is why it ends.
const tailSize = 2048

// tail keeps the end of what is written to it. The zero tail is ready; it may be read while it is written.
type tail struct {
	mu   sync.Mutex
	last []byte
}

// Write takes everything.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b...)
	if drop := len(t.last) - tailSize; drop > 0 {
		t.last = append(t.last[:0], t.last[drop:]...)
	}
	return len(b), nil
}

// String returns the end of it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}
