//go:build linux

package main

import (
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// row contains the samples of one metric for all contestants, one sample per repetition.
type row struct {
	scenario, metric string
	samples          map[string][]float64
}

// sheet collects the rows of a run, in the order of their first sample.
type sheet struct{ rows []*row }

func (s *sheet) add(scenario, metric, who string, v float64) {
	i := slices.IndexFunc(s.rows, func(r *row) bool { return r.scenario == scenario && r.metric == metric })
	if i < 0 {
		i = len(s.rows)
		s.rows = append(s.rows, &row{scenario: scenario, metric: metric, samples: map[string][]float64{}})
	}
	s.rows[i].samples[who] = append(s.rows[i].samples[who], v)
}

// value returns a contestant's median, or NaN if it has no samples.
func (r *row) value(who string) float64 { return median(r.samples[who]) }

// ratio returns the median, over all repetitions, of the ratio of our sample to another
// contestant's. A slow phase on the machine affects both samples, so it distorts their ratio less
// than the samples themselves.
func (r *row) ratio(who string) float64 {
	a, b := r.samples[ours], r.samples[who]
	var ratios []float64
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			ratios = append(ratios, a[i]/b[i])
		}
	}
	return median(ratios)
}

// verdict is the result of comparing a row with an aim.
type verdict struct {
	aim
	got float64
	met bool
}

func (v verdict) String() string {
	sign, mark := "≤", "pass"
	if v.atLeast {
		sign = "≥"
	}
	if !v.met {
		mark = "MISS"
	}
	if v.against == "" {
		return fmt.Sprintf("%s %s: %s", sign, short(v.limit), mark)
	}
	return fmt.Sprintf("%s %s× %s: %s", sign, short(v.limit), named(v.scenario, v.against), mark)
}

func (r *row) verdicts() []verdict {
	var out []verdict
	for _, a := range aims {
		if a.scenario != r.scenario || a.metric != r.metric {
			continue
		}
		got := r.value(ours)
		if a.against != "" {
			got = r.ratio(a.against)
		}
		out = append(out, verdict{aim: a, got: got, met: a.atLeast && got >= a.limit || !a.atLeast && got <= a.limit})
	}
	return out
}

func median(samples []float64) float64 { return quantile(samples, 0.5) }

// quantile returns the q-quantile of the samples, or NaN if there are none.
func quantile(samples []float64, q float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// line is a row in the JSON file. Figures that were not measured are absent.
type line struct {
	Scenario string               `json:"scenario"`
	Metric   string               `json:"metric"`
	Medians  map[string]float64   `json:"medians"`
	Ratios   map[string]float64   `json:"ratios,omitzero"`
	Samples  map[string][]float64 `json:"samples"`
	Aims     []aimLine            `json:"aims,omitzero"`
}

type aimLine struct {
	Aim string `json:"aim"`
	Met bool   `json:"met"`
}

func (s *sheet) writeJSON(path string) error {
	var lines []line
	for _, r := range s.rows {
		l := line{Scenario: r.scenario, Metric: r.metric, Samples: map[string][]float64{}, Medians: map[string]float64{}, Ratios: map[string]float64{}}
		for who, samples := range r.samples {
			name := named(r.scenario, who)
			l.Samples[name], l.Medians[name] = samples, r.value(who)
			if ratio := r.ratio(who); who != ours && !math.IsNaN(ratio) {
				l.Ratios[name] = ratio
			}
		}
		for _, v := range r.verdicts() {
			l.Aims = append(l.Aims, aimLine{v.String(), v.met})
		}
		lines = append(lines, l)
	}
	b, err := json.Marshal(lines, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("encode the figures: %w", err)
	}
	if err := os.WriteFile(path, append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	return nil
}
