/** An event as a test of a receiver: shell commands that sign it like a delivery, and post it. */
import { WEBHOOK_HEADERS } from '../../../domain/brand.ts'

export interface SeenEvent {
  id: string
  type: string
  instance: string
  /** Body of the event, with the bytes that a webhook would get. */
  body: string
}

/** Quotes a text for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export const asTest = ({ id, type, instance, body }: SeenEvent) =>
  `URL='' # The address of your receiver.
SECRET='' # The secret of the instance's webhooks.
BODY=${quoted(body)}
NOW=$(date +%s)
SIGNATURE=$(printf '%s.%s' "$NOW" "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')
curl -s "$URL" -H 'content-type: application/json' -H '${WEBHOOK_HEADERS.type}: ${type}' -H '${WEBHOOK_HEADERS.eventId}: ${id}' \\
  -H '${WEBHOOK_HEADERS.instanceId}: ${instance}' -H '${WEBHOOK_HEADERS.attempt}: 1' \\
  -H "x-svc-signature: t=$NOW,v1=$SIGNATURE" --data-raw "$BODY"
`
