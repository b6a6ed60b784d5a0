package console

// Statuses are the exit statuses that apply to an invocation of a command.
type Statuses map[int]bool

// First returns the first of some statuses that applies, or 0: the order says which weighs most.
func (s Statuses) First(statuses ...int) int {
	for _, status := range statuses {
		if s[status] {
			return status
		}
	}
	return 0
}
