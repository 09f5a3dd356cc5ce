/**
 * The tickets of browser extensions, as hashes. The members of a cluster also store them, because an extension may
 * reach another member than the page that gave it the ticket.
 */
import * as v from 'valibot'
import type { Clock } from '../domain/clock.ts'
import type { InstanceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Op } from '../storage/contract.ts'
import type { MainRecords, Memory } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import { repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/sealer.ts'

export interface Ticket {
  instance: InstanceId
  ceremony: string
  challenge: string
  /** True if a connect link created the ticket. The holder of such a ticket is refused once an account is linked. */
  isStranger: boolean
}

export interface HeldTicket extends Ticket {
  /** Time in ms, by the monotonic clock, at which the ticket expires. */
  until: number
  refused: number
}

export interface Tickets {
  load(): Promise<void>
  /** Returns a ticket; undefined if it is unknown or has ended. */
  get(hash: string): HeldTicket | undefined
  /**
   * Adds a ticket, which replaces those of the same instance. In a cluster, the other members can read it from the
   * store when the promise resolves.
   */
  add(hash: string, ticket: Ticket, lifeMs: number): Promise<void>
  remove(hash: string): void
}

export interface TicketsDeps {
  clock: Clock
  steady: Clock
  /** Store of the tickets that the members of a cluster share. Absent outside of a cluster. */
  shared?: { main: Pick<MainRecords, 'load' | 'change'>; sealer: Sealer; log: Log } | undefined
}

const TicketRecord = v.object({
  instance: v.pipe(
    v.string(),
    v.transform((id) => id as InstanceId),
  ),
  ceremony: v.string(),
  challenge: v.string(),
  isStranger: v.boolean(),
  /** Time at which the ticket ends, in epoch ms. */
  endsAt: v.number(),
})
type StoredTicket = Ticket & { endsAt: number }

export function createTickets({ clock, steady, shared }: TicketsDeps, longest: number): Tickets {
  const tickets = new Map<string, HeldTicket>()
  const hold = (hash: string, { instance, ceremony, challenge, isStranger }: Ticket, lifeMs: number) =>
    void tickets.set(hash, { instance, ceremony, challenge, isStranger, until: steady.now() + lifeMs, refused: 0 })

  function replacedBy(instance: InstanceId): string[] {
    const now = steady.now()
    return [...tickets].flatMap(([hash, each]) => (each.instance === instance || each.until <= now ? [hash] : []))
  }

  function get(hash: string): HeldTicket | undefined {
    const known = tickets.get(hash)
    return known && known.until > steady.now() ? known : undefined
  }

  if (shared === undefined)
    return {
      load: async () => {},
      get,
      async add(hash, ticket, lifeMs) {
        for (const each of replacedBy(ticket.instance)) tickets.delete(each)
        hold(hash, ticket, lifeMs)
      },
      remove: (hash) => void tickets.delete(hash),
    }

  const { main, sealer, log } = shared
  const records = repository<StoredTicket>({
    name: 'ticket of a browser extension',
    schema: TicketRecord as v.GenericSchema<unknown, StoredTicket>,
    version: 1,
    sealed: sealer,
  })
  const removal = (hash: string): Op => records.remove(keys.passkeyTicket(hash))
  const hashIn = (key: string) => key.slice(keys.passkeyTickets.length)
  const memory: Memory = {
    put(key, bytes) {
      const { endsAt, ...ticket } = records.decode(key, bytes)
      // The clock of another member may be ahead, which must not lengthen the life of a ticket.
      hold(hashIn(key), ticket, Math.min(longest, endsAt - clock.now()))
    },
    remove: (key) => void tickets.delete(hashIn(key)),
  }

  return {
    load: () =>
      main.load('passkeyTickets', memory, (found) => {
        for (const [key, bytes] of found) memory.put(key, bytes, false)
      }),
    get,
    async add(hash, ticket, lifeMs) {
      const stored = { ...ticket, endsAt: clock.now() + lifeMs }
      await main.change(() => ({
        ops: [...replacedBy(ticket.instance).map(removal), records.encode(keys.passkeyTicket(hash), stored)],
      }))
    },
    remove(hash) {
      tickets.delete(hash)
      main
        .change(() => ({ ops: [removal(hash)] }))
        .catch((err: unknown) =>
          log.warn({ err }, 'a used ticket of a browser extension could not be removed; it ends by itself'),
        )
    },
  }
}
