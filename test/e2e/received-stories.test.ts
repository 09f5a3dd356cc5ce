/**
 * For every declared kind of message and notification, a test function (`Tell`) makes it happen on the simulated
 * network, and compares the payload that the webhook receiver gets.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { MESSAGE_TYPES } from '../../src/features/received/blocks.ts'
import { NOTIFICATIONS } from '../../src/features/received/notifications.ts'
import { commerce } from './received/commerce.ts'
import { contents } from './received/contents.ts'
import { groupNotices } from './received/group-notices.ts'
import { interactive } from './received/interactive.ts'
import { files } from './received/media.ts'
import { notices } from './received/notices.ts'
import { type Kind, type Notification, startStory, type Tell } from './received/story.ts'
import { waiting_message } from './received/waiting.ts'

const NOTICES = { ...groupNotices, ...notices } satisfies Record<Notification, Tell>

/**
 * The test functions by kind of message. A missing kind is an error of the compiler, and the last test of this file
 * fails if a kind has no function.
 */
const KINDS = {
  ...contents,
  ...files,
  ...interactive,
  ...commerce,
  waiting_message,
  notification: NOTICES.revoke,
} satisfies Record<Kind, Tell>

const story = await startStory({ webhooks: { notify_sent_by_me: true } })
await story.meetEverybody()
after(() => story.world.stop())

for (const [name, tell] of [...Object.entries(KINDS), ...Object.entries(NOTICES)])
  test(name, async () => {
    story.began()
    await tell(story)
    assert.ok(story.compared().has(name), `no ${name} was compared`)
  })

test('nothing is declared without a story, and no story is of anything else', () => {
  assert.deepEqual(Object.keys(KINDS).sort(), [...MESSAGE_TYPES].sort())
  assert.deepEqual(Object.keys(NOTICES).sort(), [...NOTIFICATIONS].sort())
})
