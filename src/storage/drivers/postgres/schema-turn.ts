/**
 * Waits, as a standby, until no other service owns a schema, and then takes its lock. The standby has one connection and no writer, and it changes
 * nothing while it waits.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { TurnOptions } from '../../store-backend.ts'
import { connect, type Link } from './link.ts'
import { createOwnerWatch, type OwnerLook } from './owner-watch.ts'
import { isGranted, OWNING, type SchemaTurn, SILENCE } from './schema-owner.ts'
import type { Target } from './target.ts'

/** Interval between two looks, in ms. */
const LOOK_EVERY = 1_000
/** Time in ms that the server needs at most to release the lock of a connection that it has ended. */
const RELEASING = 2_000

/** Connections that hold the lock. `database` and `classid`, `objid`: the two halves of an advisory lock's number belong to one database. */
const HOLDERS = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = ${OWNING}
  AND objid = hashtext(current_schema())::oid AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
const LOOK = {
  text: `SELECT EXISTS (${HOLDERS}), n.writer, n.beat, n.name FROM (VALUES (1)) AS one LEFT JOIN svc_node n ON true`,
}
/** Ends the connection that holds the lock, unless its service has raised its counter in the meantime. */
const END_OWNER = `SELECT pg_terminate_backend(pid) FROM (${HOLDERS}) AS holder
  WHERE pid <> pg_backend_pid() AND EXISTS (SELECT FROM svc_node WHERE writer = $1 AND beat = $2)`

export async function waitForTurn(target: Target, { onWaiting, onDead }: TurnOptions): Promise<SchemaTurn> {
  const connectAgain = () => connect(target, { name: 'standby' })
  const watch = createOwnerWatch(() => performance.now())
  let link = await connectAgain()

  /** Looks once. Resolves with true when this process has the lock. */
  async function look(): Promise<boolean> {
    if (!link.isUp()) link = await connectAgain()
    const askedAt = performance.now()
    const { name, ...found } = await lookAt(link)
    const verdict = watch.judge(found, askedAt)
    if (verdict === 'alive') {
      onWaiting(name)
      return false
    }
    if (verdict === 'dead') onDead(name)
    if (found.isLocked && found.node) {
      await link.ask({ text: END_OWNER, values: [found.node.writer, found.node.beat] }, SILENCE)
    }
    watch.forget()
    return isGrantedSoon(link)
  }

  for (;;) {
    const hasTurn = await look().catch(() => {
      // The database cannot be reached, so it is unknown whether the owner still runs.
      watch.forget()
      link.drop()
      return false
    })
    if (hasTurn) return { link }
    await pause(LOOK_EVERY)
  }
}

async function lookAt(link: Link): Promise<OwnerLook & { name: string | undefined }> {
  const [[isLocked, writer, beat, name]] = (await link.ask(LOOK, SILENCE)).rows as [
    [boolean, string | null, number, string | null],
  ]
  return { isLocked, node: writer === null ? undefined : { writer, beat }, name: name ?? undefined }
}

async function isGrantedSoon(link: Link): Promise<boolean> {
  const until = performance.now() + RELEASING
  while (!(await isGranted(link))) {
    if (performance.now() > until) return false
    await pause(50)
  }
  return true
}
