// Ends with 0 if the service is ready; otherwise prints the reason and ends with 1. Docker's HEALTHCHECK and upgrade.sh use it.
const port = process.env.SVC_PORT || 8080
const host = process.env.SVC_HOST || '127.0.0.1'
const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
try {
  const response = await fetch(`http://${name}:${port}/health/ready`, { signal: AbortSignal.timeout(4_000) })
  process.stdout.write(`${await response.text()}\n`)
  process.exitCode = response.ok ? 0 : 1
} catch (error) {
  process.stdout.write(`nobody answers on ${name} port ${port}: ${error.cause?.message ?? error.message}\n`)
  process.exitCode = 1
}
