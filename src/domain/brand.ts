/** The working name. Everything that carries it (headers, key prefixes, environment) is derived here, so that it can be renamed once. */
export const BRAND = 'svc'

const TITLE = `${BRAND[0]!.toUpperCase()}${BRAND.slice(1)}`
const header = (name: string) => `X-${TITLE}-${name}`

/** Headers of a webhook request beside its content type (shared/api/webhook-payloads.md, 0). */
export const WEBHOOK_HEADERS = {
  type: header('Event'),
  eventId: header('Event-Id'),
  instanceId: header('Instance-Id'),
  attempt: header('Attempt'),
  signature: header('Signature'),
} as const
/** The headers of the Standard Webhooks specification, which carry no brand: libraries of that specification look for these names. */
export const STANDARD_WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const
/** Response header that names request fields which do not exist. */
export const IGNORED_FIELDS = header('Ignored-Fields')
/** The version is that of the webhook format, which receivers may tell apart by it, and not of this software. */
export const WEBHOOK_AGENT = `${TITLE}-Webhook/1.0`
/** User-Agent for files that are fetched by URL. Many hosts refuse a request without one. */
export const FETCH_AGENT = `${TITLE}-Fetch/1.0`
/** User-Agent for pages of link cards. Sites render their card data for names that look like this one, of a bot. */
export const PREVIEW_AGENT = `Mozilla/5.0 (compatible; ${TITLE}-LinkPreview/1.0; link preview bot)`
export const API_KEY_PREFIX = `${BRAND}_key_`
export const ADMIN_KEY_PREFIX = `${BRAND}_admin_`
export const OAUTH_ACCESS_PREFIX = `${BRAND}_oat_`
export const OAUTH_REFRESH_PREFIX = `${BRAND}_ort_`
export const WEBHOOK_SECRET_PREFIX = 'whsec_'

/** Of this software, as `package.json` has it (a test holds them equal). */
export const VERSION = '0.1.0'
/** Of the interface. */
export const API_VERSION = '1.0'
