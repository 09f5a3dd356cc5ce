/**
 * Stores the admins of each group, to check whether a member may delete or pin messages. Unknown admins are queried
 * after the event, so that no event waits for the answer.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Context } from '../context/instance-context.ts'
import type { Roles } from '../translate/inbound/context.ts'
import { type GroupChange, groupNoticeIn, peopleIn } from '../wire/group-notice.ts'
import type { Group } from '../wire/groups.ts'
import { bare } from '../wire/jid.ts'
import { FACETS } from './facets.ts'

const RolesRecord: v.GenericSchema<Roles> = v.object({
  /** Jids of all admins, without device parts: number and LID, as far as known. */
  admins: v.array(v.string()),
  /** Whether only admins may change the name, the timer and the pins of the group. */
  isLocked: v.boolean(),
  /** Epoch ms at which the network sent these facts. */
  at: v.number(),
})

interface RolesSession {
  refresh(group: string): Promise<unknown>
  ended: AbortSignal
}

export interface GroupRoles {
  attach(session: RolesSession): void
  learn(group: Group): void
  of(group: string): Promise<Roles | null>
  changed(notice: BinaryNode): Promise<Op[]>
  forget(): Promise<void>
}

export function createGroupRoles({
  id: instance,
  store,
  sealer,
  clock,
  log,
}: Context<'id' | 'store' | 'sealer' | 'clock' | 'log'>): GroupRoles {
  const records = repository({ name: 'roles of a group', schema: RolesRecord, version: 1, sealed: sealer })
  const keyOf = (group: string) => keys.groupRoles(instance, sealer.blind(bare(group)))
  const { ms: trustedFor, askedAgainMs, pauseMs, asked: mostAsked } = FACETS.roles
  const asked = boundedCache<string, number>(mostAsked)
  let session: RolesSession | null = null

  async function read(group: string): Promise<Roles | null> {
    const key = keyOf(group)
    const bytes = await store.get(key)
    try {
      return bytes ? records.decode(key, bytes) : null
    } catch (error) {
      // The roles are unknown until the network sends them again.
      log.error({ err: error }, 'the stored roles of a group could not be decoded')
      return null
    }
  }

  function ask(group: string) {
    if (!session || session.ended.aborted) return
    const now = clock.now()
    const last = asked.get(group)
    if (last !== undefined && Math.abs(now - last) < pauseMs) return
    asked.set(group, now)
    session.refresh(group).catch((error: unknown) => log.info({ err: error }, 'the admins of a group could not be looked up'))
  }

  return {
    attach(next) {
      session = next
    },
    learn(group) {
      const roles = { ...rolesOf(group), at: clock.now() }
      store.commit({ ops: [records.encode(keyOf(group.id), roles)] }).catch((error: unknown) => {
        log.error({ err: error }, 'the roles of a group could not be written')
      })
    },
    async of(group) {
      const roles = await read(group)
      const age = roles === null ? Number.POSITIVE_INFINITY : Math.max(0, clock.now() - roles.at)
      if (age > askedAgainMs) ask(group)
      return age > trustedFor ? null : roles
    },
    async changed(notice) {
      const { group, changes } = groupNoticeIn(notice)
      const before = changes.some(isAboutRoles) ? await read(group) : null
      return before ? [records.encode(keyOf(group), after(before, changes))] : []
    },
    forget: () => removeAll(store, keys.groupRolesOf(instance)),
  }
}

const bareNames = (names: readonly (string | undefined)[]) => names.flatMap((name) => (name ? [bare(name)] : []))

function rolesOf({ participants, restrict }: Pick<Group, 'participants' | 'restrict'>): Omit<Roles, 'at'> {
  const admins = participants.filter(({ admin }) => Boolean(admin))
  return {
    admins: [...new Set(admins.flatMap(({ id, phoneNumber, lid }) => bareNames([id, phoneNumber, lid])))],
    isLocked: restrict === true,
  }
}

const CHANGES: Readonly<Record<string, (roles: Roles, people: readonly string[]) => Roles>> = {
  promote: (roles, people) => ({ ...roles, admins: [...new Set([...roles.admins, ...people])] }),
  demote: without,
  remove: without,
  leave: without,
  locked: (roles) => ({ ...roles, isLocked: true }),
  unlocked: (roles) => ({ ...roles, isLocked: false }),
}

function without(roles: Roles, people: readonly string[]): Roles {
  const gone = new Set(people)
  return { ...roles, admins: roles.admins.filter((name) => !gone.has(name)) }
}

const isAboutRoles = ({ kind }: GroupChange) => Object.hasOwn(CHANGES, kind)

export const after = (roles: Roles, changes: readonly GroupChange[]): Roles =>
  changes.filter(isAboutRoles).reduce((before, change) => CHANGES[change.kind]!(before, namesIn(change)), roles)

const namesIn = (change: GroupChange) => peopleIn(change).flatMap(({ names }) => names)
