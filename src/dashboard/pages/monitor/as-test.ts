/** Shell commands that sign an event like a webhook delivery and post it, so that a developer can test a receiver. */
import { STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from '../../../domain/brand.ts'

export interface SeenEvent {
  id: string
  type: string
  instance: string
  /** The body of the event as JSON text. Without a dialect, a webhook request has the same body. */
  body: string
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export const asTest = ({ id, type, instance, body }: SeenEvent) =>
  `URL='' # The address of your receiver.
SECRET='' # The secret of the instance's webhooks.
BODY=${quoted(body)}
NOW=$(date +%s)
SIGNATURE=$(printf '%s.%s' "$NOW" "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')
KEY=$(printf '%s' "$SECRET" | sed 's/^${WEBHOOK_SECRET_PREFIX}//' | base64 -d | od -An -tx1 | tr -d ' \\n')
STANDARD=$(printf '%s.%s.%s' '${id}' "$NOW" "$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)
curl -s "$URL" -H 'content-type: application/json' -H '${WEBHOOK_HEADERS.type}: ${type}' -H '${WEBHOOK_HEADERS.eventId}: ${id}' \\
  -H '${WEBHOOK_HEADERS.instanceId}: ${instance}' -H '${WEBHOOK_HEADERS.attempt}: 1' \\
  -H '${STANDARD_WEBHOOK_HEADERS.id}: ${id}' -H "${STANDARD_WEBHOOK_HEADERS.timestamp}: $NOW" -H "${STANDARD_WEBHOOK_HEADERS.signature}: v1,$STANDARD" \\
  -H "${WEBHOOK_HEADERS.signature}: t=$NOW,v1=$SIGNATURE" --data-raw "$BODY"
`
