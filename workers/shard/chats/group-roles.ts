/**
 * Who is an admin of which group, and whether only admins may change it: what a deletion or a pin by somebody else is believed by. Learnt
 * from the metadata that is asked for anyway, changed by the group's notices in their place among its messages, and kept across restarts.
 * Nobody waits for it: where it is not known, it is asked for behind the event, for the next one.
 */
import { type BinaryNode, getBinaryNodeChildren } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import * as v from 'valibot'
import { type Clock, DAY, MINUTE } from '../../../src/domain/clock.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import type { Roles } from '../translate/inbound/context.ts'
import { bare } from '../wire/jid.ts'
import type { Group, Groups } from './groups.ts'

/** Notices wait for us as long as the device stays linked while it is away: older than this the record proves nothing. */
const TRUSTED_FOR = 14 * DAY
/** A notice that was lost must not leave us wrong for long. */
const ASKED_AGAIN_AFTER = DAY
/** Between two questions about one group. */
const PAUSE = MINUTE
const MAX_ASKED = 1_000

const RolesRecord: v.GenericSchema<Roles> = v.object({
  /** Every name of every admin, bare. */
  admins: v.array(v.string()),
  /** Only admins change the group: name, timer, pins. */
  isLocked: v.boolean(),
  /** When the network said so, epoch ms. */
  at: v.number(),
})

export interface GroupRoles {
  /** Called with every session before it is used. */
  attach(session: { groups: Groups; ended: AbortSignal }): void
  /** What is known, without asking anybody; null: nothing that can be trusted. */
  of(group: string): Promise<Roles | null>
  /** For the commit of a notice about a group. */
  changed(notice: BinaryNode): Promise<Op[]>
  /** The device is gone. After its session has ended. */
  forget(): Promise<void>
}

export interface GroupRolesOptions {
  instance: string
  store: Pick<StateStore, 'get' | 'range' | 'commit'>
  sealer: Sealer
  clock: Clock
  log: Pick<Logger, 'info' | 'error'>
}

export function createGroupRoles({ instance, store, sealer, clock, log }: GroupRolesOptions): GroupRoles {
  const records = repository({ name: 'roles of a group', schema: RolesRecord, version: 1, sealed: sealer })
  const keyOf = (group: string) => keys.groupRoles(instance, sealer.blind(bare(group)))
  const asked = new Map<string, number>()
  let session: { groups: Groups; ended: AbortSignal } | null = null

  async function read(group: string): Promise<Roles | null> {
    const key = keyOf(group)
    const bytes = await store.get(key)
    try {
      return bytes ? records.decode(key, bytes) : null
    } catch (error) {
      // Changed on disk: not known, until the network says it again.
      log.error({ err: error }, 'the roles of a group are not readable')
      return null
    }
  }

  function learn(group: Group) {
    const roles = { ...rolesOf(group), at: clock.now() }
    store.commit({ ops: [records.encode(keyOf(group.id), roles)] }).catch((error: unknown) => {
      log.error({ err: error }, 'the roles of a group could not be written')
    })
  }

  /** Behind whatever wants to know. What comes of it is learnt like every answer. */
  function ask(group: string) {
    if (!session || session.ended.aborted) return
    const now = clock.now()
    const last = asked.get(group)
    if (last !== undefined && Math.abs(now - last) < PAUSE) return
    asked.delete(group)
    asked.set(group, now)
    for (const oldest of asked.keys()) {
      if (asked.size <= MAX_ASKED) break
      asked.delete(oldest)
    }
    session.groups.get(group).catch((error: unknown) => log.info({ err: error }, 'who the admins of a group are is not known'))
  }

  return {
    attach(next) {
      session = next
      next.groups.onLearnt(learn)
    },
    async of(group) {
      const roles = await read(group)
      const age = roles === null ? Number.POSITIVE_INFINITY : Math.max(0, clock.now() - roles.at)
      if (age > ASKED_AGAIN_AFTER) ask(group)
      return age > TRUSTED_FOR ? null : roles
    },
    async changed(notice) {
      const group = notice.attrs.from ?? ''
      const before = isAboutRoles(notice) ? await read(group) : null
      return before ? [records.encode(keyOf(group), after(before, notice))] : []
    },
    forget: () => removeAll(store, keys.groupRolesOf(instance)),
  }
}

const namesIn = (names: readonly (string | undefined)[]) => names.flatMap((name) => (name ? [bare(name)] : []))

export function rolesOf({ participants, restrict }: Pick<Group, 'participants' | 'restrict'>): Omit<Roles, 'at'> {
  const admins = participants.filter(({ admin }) => Boolean(admin))
  return {
    admins: [...new Set(admins.flatMap(({ id, phoneNumber, lid }) => namesIn([id, phoneNumber, lid])))],
    isLocked: restrict === true,
  }
}

const CHANGES: Readonly<Record<string, (roles: Roles, people: string[]) => Roles>> = {
  promote: (roles, people) => ({ ...roles, admins: [...new Set([...roles.admins, ...people])] }),
  demote: without,
  remove: without,
  leave: without,
  locked: (roles) => ({ ...roles, isLocked: true }),
  unlocked: (roles) => ({ ...roles, isLocked: false }),
}

function without(roles: Roles, people: string[]): Roles {
  return { ...roles, admins: roles.admins.filter((name) => !people.includes(name)) }
}

const childrenOf = ({ content }: BinaryNode) => (Array.isArray(content) ? content : [])
const isAboutRoles = (notice: BinaryNode) => childrenOf(notice).some(({ tag }) => Object.hasOwn(CHANGES, tag))

/** What a notice makes of what was known. */
export function after(roles: Roles, notice: BinaryNode): Roles {
  return childrenOf(notice).reduce((before, child) => {
    const change = Object.hasOwn(CHANGES, child.tag) ? CHANGES[child.tag] : undefined
    if (!change) return before
    const people = getBinaryNodeChildren(child, 'participant').flatMap(({ attrs }) =>
      namesIn([attrs.jid, attrs.phone_number, attrs.lid]),
    )
    return change(before, people)
  }, roles)
}
