/**
 * Tests how services follow commands. A command writes an order to the store, for the one service that has the
 * instance.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { answerTo, confirmOrder, newOrder, orderOps } from '../../../src/directory/orders.ts'
import type { Logger } from '../../../src/log.ts'
import { followCommands } from '../../../src/service/follow-commands.ts'
import type { InstanceStarts } from '../../../src/service/instance-starts.ts'
import { createShutdown } from '../../../src/service/shutdown.ts'
import type { OpenStore } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { INSTANCE, membersOf, recordingLog, tempStore, until } from '../storage/fixtures.ts'

const OTHER = { id: 'other', name: 'other', host: '127.0.0.1', port: 1 }

/** Creates a member of a cluster. `own` has the instances of this member. */
async function member(t: TestContext, opened: OpenStore, own: Set<string>) {
  let others = [OTHER]
  const looks: (() => void)[] = []
  const members = { ...membersOf(() => others), onLook: (listener: () => void) => void looks.push(listener) }
  const store = { ...opened, members }
  const done: string[] = []
  let takes = 0
  const shutdown = createShutdown({ now: Date.now })
  let visit = () => {}
  await followCommands({
    log: recordingLog() as unknown as Logger,
    shutdown,
    storage: {
      store,
      steps: () => {},
      onVisit(listener) {
        visit = listener
      },
    },
    engine: { call: async (_, { operation }) => void done.push(operation) as never, stop: async () => {} },
    isHere: (instance) => own.has(instance),
    directory: { config: () => assert.fail('nothing is started'), tokenTagOf: () => 'tag' },
    paused: new Map(),
    starts: { takeImports: async () => void takes++ } as unknown as InstanceStarts,
  })
  t.after(() => shutdown.run(1_000))
  return {
    done,
    visit: () => visit(),
    takes: () => takes,
    look(alive: typeof others) {
      others = alive
      for (const each of looks) each()
    },
  }
}

test('the start of a member leaves the answer for a command that waits for another one', async (t) => {
  const store = await tempStore(t)
  await store.commit({ ops: [[keys.orderAnswer(INSTANCE), Buffer.from('answer')]] })
  await member(t, store, new Set())
  assert.ok(await store.get(keys.orderAnswer(INSTANCE)))
})

test('an order for an instance that moves is carried out once, by the member that gets the instance', async (t) => {
  const store = await tempStore(t)
  const owns = [new Set<string>(), new Set<string>()] as const
  const [first, second] = [await member(t, store, owns[0]), await member(t, store, owns[1])]
  const order = newOrder('resume', Date.now() + 1_000)
  await store.commit({ ops: orderOps(INSTANCE, order) })
  first.visit()
  second.visit()
  await until(() => first.takes() > 1 && second.takes() > 1, 'both have looked')
  owns[1].add(INSTANCE)
  await until(async () => {
    const answer = await answerTo(store, INSTANCE)
    if (answer && 'asks' in answer) await confirmOrder(store, INSTANCE, order)
    return answer !== undefined && 'problem' in answer
  }, 'the answer')
  assert.deepEqual([first.done, second.done], [[], ['instance.callOffMove']])
})

test('when a member has ended, the others look for the imported devices and the orders that it had begun with', async (t) => {
  const store = await tempStore(t)
  const { look, takes } = await member(t, store, new Set())
  await until(() => takes() === 1, 'the first look')
  look([OTHER])
  look([OTHER])
  look([])
  await until(() => takes() === 2, 'another look')
})
