/**
 * Working name of the product. The headers and key prefixes in this file are derived from it. Names elsewhere, such as
 * environment variables and metrics, contain it literally.
 */
export const BRAND = 'svc'

const TITLE = `${BRAND[0]!.toUpperCase()}${BRAND.slice(1)}`
const header = (name: string) => `X-${TITLE}-${name}`

export const WEBHOOK_HEADERS = {
  type: header('Event'),
  eventId: header('Event-Id'),
  instanceId: header('Instance-Id'),
  attempt: header('Attempt'),
  signature: header('Signature'),
} as const
/**
 * Headers of the Standard Webhooks specification. They carry no brand, because libraries look for these exact names.
 */
export const STANDARD_WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const
/**
 * Header with the passphrase of an archive. A URL would be logged, and the body of such a request is the file itself.
 */
export const PASSPHRASE_HEADER = header('Passphrase')
export const IGNORED_FIELDS = header('Ignored-Fields')
/**
 * User-Agent of webhook requests. The version is that of the webhook format and not that of the software, so that
 * receivers can tell formats apart.
 */
export const WEBHOOK_AGENT = `${TITLE}-Webhook/1.0`
/** User-Agent for files that are fetched by URL. Many hosts refuse a request without one. */
export const FETCH_AGENT = `${TITLE}-Fetch/1.0`
/**
 * User-Agent of requests for link previews. Many sites provide preview data only to user agents that look like a bot.
 */
export const PREVIEW_AGENT = `Mozilla/5.0 (compatible; ${TITLE}-LinkPreview/1.0; link preview bot)`
export const API_KEY_PREFIX = `${BRAND}_key_`
export const ADMIN_KEY_PREFIX = `${BRAND}_admin_`
export const OAUTH_ACCESS_PREFIX = `${BRAND}_oat_`
export const OAUTH_REFRESH_PREFIX = `${BRAND}_ort_`
export const WEBHOOK_SECRET_PREFIX = 'whsec_'

export const VERSION = '1.0.0'
export const API_VERSION = '1.0'
