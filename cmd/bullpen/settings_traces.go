package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/export/otlp"
	"github.com/bullpen-office/bullpen/server"
)

// OpenTelemetry variables, read only if export is on. They never turn export on, because they may
// be set for other programs.
const (
	envEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envHeaders  = "OTEL_EXPORTER_OTLP_HEADERS"
	envNoTrack  = "DO_NOT_TRACK"
)

// traceSettings holds the settings of trace export.
type traceSettings struct {
	on, content bool
	endpoint    string
}

func (t *traceSettings) register(f *pflag.FlagSet) {
	f.BoolVar(&t.on, "otlp", false, "export activity as OpenTelemetry traces (OTLP over HTTP) to "+envEndpoint+" (default "+otlp.DefaultEndpoint+")")
	f.StringVar(&t.endpoint, "otlp-endpoint", "", "export traces to this collector, for example "+otlp.DefaultEndpoint+"; headers come from "+envHeaders)
	f.BoolVar(&t.content, "otlp-content", false, "also export the arguments and results of tools")
}

// doNotTrack reports whether DO_NOT_TRACK is set, which turns export off even if a flag or file
// turns it on.
func doNotTrack() bool {
	value := os.Getenv(envNoTrack)
	return value != "" && value != "0" && value != "false"
}

// wanted reports whether export is turned on.
func (t *traceSettings) wanted() bool { return t.on || t.endpoint != "" }

// config returns the trace export's configuration, or nil if nothing is exported.
func (t *traceSettings) config() (*server.TracesConfig, error) {
	if !t.wanted() || doNotTrack() {
		return nil, nil
	}
	address, err := otlp.TracesURL(cmp.Or(t.endpoint, os.Getenv(envEndpoint), otlp.DefaultEndpoint))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", envEndpoint, err) // checkTraces checks the flag
	}
	header, err := otlp.ParseHeaders(os.Getenv(envHeaders))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", envHeaders, err)
	}
	return &server.TracesConfig{URL: address, Header: header, Content: t.content}, nil
}

func (s *settings) checkTraces() []error {
	if s.traces.endpoint != "" && !doNotTrack() {
		if _, err := otlp.TracesURL(s.traces.endpoint); err != nil {
			return []error{s.wrong("otlp-endpoint", err)}
		}
	}
	_, err := s.traces.config()
	return []error{err}
}
