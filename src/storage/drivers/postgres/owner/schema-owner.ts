/**
 * Ensures that only one service uses a schema: two would log in with the same accounts and send the same queued
 * messages.
 *
 * The owner holds an advisory lock on a separate connection. When this connection ends, another service may take the
 * schema, and removes the writers of the earlier owner. The earlier owner can then store nothing, and ends.
 */
import type { Takeover } from '../../../../domain/nodes.ts'
import { connect } from '../link.ts'
import type { Target } from '../target.ts'
import { type HoldOptions, holdSchema } from './hold-schema.ts'
import { standbysOf } from './node-rows.ts'
import { isFree, isGranted, SILENCE } from './schema-lock.ts'
import { addressesIn, CONNECTED, standbyQuestions } from './standbys.ts'
import { type TakeoverOptions, takeOverSchema } from './take-over-schema.ts'

export interface OwnerOptions extends TakeoverOptions, HoldOptions {}

const VISIT = {
  text: "INSERT INTO svc_meta AS m VALUES ('visits', '1') ON CONFLICT (key) DO UPDATE SET value = (m.value::bigint + 1)::text",
}
const CONNECTION = 'owner'
const OVER = 'Another service has taken over the store in PostgreSQL.'
const AWAY = 'The service cannot reach PostgreSQL, and its standby may take over.'

export async function ownSchema(target: Target, options: OwnerOptions): Promise<() => Promise<void>> {
  const { turn } = options
  const link = turn?.link.isUp() ? turn.link : await connect(target, { name: CONNECTION })
  let takeover: Takeover | undefined
  try {
    takeover = await takeOverSchema(link, target, options)
  } catch (error) {
    await link.end()
    throw error
  }
  return holdSchema(link, target, options, {
    ...standbyQuestions(options.writer),
    state: 'active',
    takeover,
    connection: CONNECTION,
    column: CONNECTED,
    lock: isGranted,
    rivalsIn: (nodes, column) => standbysOf(nodes, addressesIn(column)),
    away: AWAY,
    over: OVER,
  })
}

/**
 * Notifies the active services that a command has written something to the store. Resolves with false if no service
 * uses the schema.
 */
export async function isOwned(target: Target): Promise<boolean> {
  const link = await connect(target, { name: 'visitor' })
  try {
    await link.ask(VISIT, SILENCE)
    return !(await isFree(link))
  } finally {
    await link.end()
  }
}
