/** Content type of the metrics, in the text format of Prometheus. */
export const METRICS_TEXT = 'text/plain; version=0.0.4; charset=utf-8'
