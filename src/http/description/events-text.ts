import { WEBHOOK_HEADERS as headers, WEBHOOK_AGENT } from '../../domain/brand.ts'

export const EVENTS_TEXT = `Each event is delivered as an HTTP request: a \`POST\` to the URL configured for its type, with a JSON body.

| Rule | Value |
|---|---|
| Headers | \`Content-Type: application/json\`, \`User-Agent: ${WEBHOOK_AGENT}\`, \`${headers.type}\` (event type), \`${headers.eventId}\`, \`${headers.instanceId}\`, \`${headers.attempt}\` (1 to 6), \`${headers.signature}: t=<seconds>,v1=<hex>\` |
| Signature | \`v1\` is HMAC-SHA256, lower-case hex, over \`<t>.<raw body>\`; the key is the UTF-8 bytes of the whole \`secret\`, including the prefix \`whsec_\`. \`t\` is the time of the attempt in seconds since the epoch: refuse a request whose \`t\` differs by more than 300 s. Compare in constant time, on the raw bytes, before parsing |
| Standard Webhooks | The same request also carries \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`, so the libraries \`standardwebhooks\` and \`svix\` verify it with the same secret. During the grace time of a rotation both signatures have two values; one valid value is enough |
| Success | any answer 2xx within 10 s. Redirects are not followed |
| Retries | after 10 s, 1 min, 10 min, 1 h and 6 h; then the event counts as failed. The body stays the same, but each attempt has a new signature |
| Order | one event at a time per instance, in the order in which they happened; a retried event may arrive after later ones |
| At least once | an event may arrive more than once: deduplicate by \`event_id\` |

Events are stored before the message is acknowledged to the network, so a crash loses no event.`
