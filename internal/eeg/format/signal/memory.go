package signal

// Memory is a [Reader] of samples in memory.
type Memory struct {
	info *Info
	data []float64
}

// NewMemory returns a reader of samples×channels values. It does not copy info or data.
func NewMemory(info *Info, data []float64) *Memory { return &Memory{info, data} }

// Info implements [Reader].
func (m *Memory) Info() *Info { return m.info }

// Close implements [Reader].
func (m *Memory) Close() error { return nil }

// ReadSamples implements [Reader].
func (m *Memory) ReadSamples(dst []float64, first, count int) error {
	if err := m.info.CheckRange(dst, first, count); err != nil {
		return err
	}
	c := len(m.info.Channels)
	copy(dst, m.data[first*c:(first+count)*c])
	return nil
}
