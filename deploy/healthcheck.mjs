// Docker's HEALTHCHECK and upgrade.sh run this program. It ends with 0 if the service is ready, or if the service waits
// as the standby of another one. Otherwise it prints the reason and ends with 1. A load balancer does not use this
// program: it requests /health/ready, which answers 503 while the service is a standby that passes no requests on.
const port = process.env.SVC_PORT || 8080
const host = process.env.SVC_HOST || '127.0.0.1'
const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host

// A standby gives one of these reasons. It is as healthy while it cannot ask the database, because it goes on when the database is back.
const WAITS = ['standby', 'database', 'stopping']

function isStandby(text) {
  try {
    return WAITS.includes(JSON.parse(text).error.details.reason)
  } catch {
    // Another program than the service has answered, or the service has given no reason.
    return false
  }
}

try {
  const response = await fetch(`http://${name}:${port}/health/ready`, { signal: AbortSignal.timeout(4_000) })
  const text = await response.text()
  process.stdout.write(`${text}\n`)
  process.exitCode = response.ok || isStandby(text) ? 0 : 1
} catch (error) {
  process.stdout.write(`nobody answers on ${name} port ${port}: ${error.cause?.message ?? error.message}\n`)
  process.exitCode = 1
}
