package main

import (
	"cmp"
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/export/otlp"
	"github.com/bullpen-office/bullpen/server"
)

// Environment variables that other programs use too. They are read only if export is on, and never
// turn export on, because they may be set for those programs.
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

// doNotTrack reports whether DO_NOT_TRACK is set to anything except an empty value, 0 or false. If
// so, export is off even if a flag or the configuration file turns it on.
func doNotTrack() bool {
	value := os.Getenv(envNoTrack)
	return value != "" && value != "0" && value != "false"
}

// wanted reports whether export is turned on.
func (t *traceSettings) wanted() bool { return t.on || t.endpoint != "" }

// url returns the address that traces are sent to.
func (t *traceSettings) url() (string, error) {
	return otlp.TracesURL(cmp.Or(t.endpoint, os.Getenv(envEndpoint), otlp.DefaultEndpoint))
}

// header returns the headers that are sent with traces.
func (t *traceSettings) header() (http.Header, error) {
	header, err := otlp.ParseHeaders(os.Getenv(envHeaders))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", envHeaders, err)
	}
	return header, nil
}

// config returns the trace export's configuration, or nil if nothing is exported. checkTraces
// reports its errors.
func (t *traceSettings) config() (*server.TracesConfig, error) {
	if !t.wanted() || doNotTrack() {
		return nil, nil
	}
	address, err := t.url()
	if err != nil {
		return nil, err
	}
	header, err := t.header()
	if err != nil {
		return nil, err
	}
	return &server.TracesConfig{URL: address, Header: header, Content: t.content}, nil
}

func (s *settings) checkTraces() []error {
	if !s.traces.wanted() || doNotTrack() {
		return nil
	}
	_, address := s.traces.url()
	switch {
	case s.traces.endpoint != "":
		address = s.wrong("otlp-endpoint", address)
	case address != nil:
		address = fmt.Errorf("%s: %w", envEndpoint, address)
	}
	_, header := s.traces.header()
	return []error{address, header}
}
