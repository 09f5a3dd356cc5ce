import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WebhookSettings } from '../../../../src/domain/instance.ts'
import type { Received, ReceivedEvent, ReceivedFields } from '../../../../src/features/webhook-payloads.ts'
import { isReported } from '../../../../workers/shard/translate/inbound/filters.ts'
import { textEvent } from '../../../harness/received-event.ts'

const settings = (changes: Partial<WebhookSettings>) =>
  ({ notify_sent_by_me: false, ignore_groups: false, ignore_private: false, ...changes }) as WebhookSettings
/** Fields of a message that a row of the table sets. Of the content, the filters read only the type. */
type Looks = Partial<ReceivedFields> & { message_type?: Received['message_type'] }
const event = ({ message_type = 'text', ...fields }: Looks): ReceivedEvent => {
  const { body, ...rest } = textEvent('A', 0, fields)
  return { ...rest, body: { ...body, message_type } as Received }
}

const GROUP = { phone: '1-group', is_group: true }
const NEWSLETTER = { phone: '1@newsletter', is_newsletter: true }
const STATUS = { phone: 'status@broadcast', broadcast: true }

const TABLE: readonly (readonly [what: string, changes: Partial<WebhookSettings>, body: Looks, reported: boolean])[] = [
  ['a text without filters', {}, {}, true],
  ['an own message', {}, { from_me: true }, false],
  ['an own message that is wanted', { notify_sent_by_me: true }, { from_me: true }, true],
  ['an own message of the API', {}, { from_me: true, from_api: true }, false],
  ['a group under ignore_groups', { ignore_groups: true }, GROUP, false],
  ['a person under ignore_groups', { ignore_groups: true }, {}, true],
  ['a person under ignore_private', { ignore_private: true }, {}, false],
  ['a group under ignore_private', { ignore_private: true }, GROUP, true],
  ['a channel under both', { ignore_private: true, ignore_groups: true }, NEWSLETTER, true],
  ['a status under both', { ignore_private: true, ignore_groups: true }, STATUS, true],
  ...(['text', 'image', 'video', 'audio', 'document'] as const).flatMap((kind) =>
    (['text', 'image', 'video', 'audio', 'document', 'sticker', 'reaction', 'notification'] as const).map(
      (other) =>
        [`${other} under ignore_${kind}`, { [`ignore_${kind}`]: true }, { message_type: other }, kind !== other] as const,
    ),
  ),
]

for (const [what, changes, body, reported] of TABLE)
  test(`${what} is ${reported ? '' : 'not '}reported`, () => assert.equal(isReported(event(body), settings(changes)), reported))
