import { API_VERSION, BRAND } from '../../domain/brand.ts'
import { OWN_WORDS } from '../../domain/dialect.ts'
import { SCOPES } from '../../domain/workspace.ts'
import { DIALECT_HEADER } from '../dialects.ts'
import { IGNORED_HEADER } from '../ignored-fields.ts'
import { PREFER } from '../prefer.ts'
import { EVENTS_TEXT } from './events-text.ts'

export const INFO = {
  title: `${BRAND} API`,
  version: API_VERSION,
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'Operator of this installation' },
  description: `REST and webhook gateway to WhatsApp accounts.

An instance is one linked device. The paths of its operations contain its id and token. Queued sends are acknowledged at once; their
outcome is a \`delivery\` event. Every response carries \`X-Request-Id\`; counted routes carry \`X-RateLimit-Limit\` and
\`X-RateLimit-Remaining\`: each instance accepts 120 requests at once, and then 60 per second. A field in another spelling
(\`delayMessage\` for \`delay_message\`) is refused with \`invalid_request\`, whose issue names the right field. Other unknown fields are
ignored, and named in \`${IGNORED_HEADER.name}\`. A request with more than 200 headers, or more than 16 KB of them, is refused with 431, and
one without exactly one \`Host\` with 400.

Names and notes that are kept here (of instances, API keys, the workspace, apps, the allowlist) are trimmed and stored in Unicode's composed
form (NFC). Control characters, direction controls and invisible characters are refused, except where they belong, as in emoji.

An instance may use the names and formats of another gateway, a dialect (\`dialect\` of its settings, or the header \`${DIALECT_HEADER}: zapi\`
for one request). The operations with \`x-dialects\` then accept and return the camelCase names and the formats that clients of that gateway
know, and the field \`error\` of their errors is a text. This description has the service's own names. On an instance with a dialect, the header
\`${DIALECT_HEADER}: ${OWN_WORDS}\` selects them.

## Events

${EVENTS_TEXT}`,
}

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: `API key of the workspace (\`${BRAND}_key_…\`). Scopes: ${SCOPES.join(', ')}.`,
  },
  clientToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Client-Token',
    description: 'An API key, or an imported client token. Needed on instance routes when the workspace requires it.',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The value of `SVC_METRICS_TOKEN`, where it is set.' },
  adminKey: { type: 'http', scheme: 'bearer', description: `Admin key of the workspace (\`${BRAND}_admin_…\`).` },
} as const

export const HEADERS = {
  'X-Request-Id': { description: 'Id of the request: the one that the request had, or a new ULID.', schema: { type: 'string' } },
  'X-RateLimit-Limit': { description: 'Number of requests per second.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Number of requests that can be made immediately.', schema: { type: 'integer' } },
  [IGNORED_HEADER.name]: { description: IGNORED_HEADER.description, schema: { type: 'string' } },
  [PREFER.applied]: {
    description: '`wait` if the answer waited for the outcome; otherwise absent.',
    schema: { type: 'string', const: 'wait' },
  },
  'Retry-After': { description: 'Number of seconds to wait.', schema: { type: 'integer', minimum: 1 } },
} as const

export const REQUEST_ID = ['X-Request-Id'] as const
export const COUNTED = [...REQUEST_ID, 'X-RateLimit-Limit', 'X-RateLimit-Remaining', IGNORED_HEADER.name] as const

export const headersOf = (names: readonly (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
