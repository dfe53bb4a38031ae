package hosting

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics are the server's figures. They name no workspace and no token.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec   // by route and status
	seconds  *prometheus.HistogramVec // by route
	refusals *prometheus.CounterVec   // by reason
	working  prometheus.Gauge
}

// newMetrics returns the figures of a server with some open workspaces.
func newMetrics(open func() int) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ctxledger_requests_total", Help: "Requests, by route and status. The route of those that were refused is refused.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "ctxledger_request_seconds", Help: "How long requests took.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16), // 0.5 ms to 16 s
		}, []string{"route"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ctxledger_refusals_total", Help: "Requests that were refused, by reason.",
		}, []string{"reason"}),
		working: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "ctxledger_requests_in_flight", Help: "Requests in progress.",
		}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.refusals, m.working,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "ctxledger_open_workspaces", Help: "Ledgers that are open.",
		}, func() float64 { return float64(open()) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}
