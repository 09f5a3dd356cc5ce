/**
 * The Signal repository for the socket: whatsapp-rust-bridge, and one mutex per address. Baileys' own repository locks
 * sends and receives separately, so both can change the same session, and one change is lost.
 */
import type {
  SignalKeyStore,
  SignalKeyStoreWithTransaction,
  SignalRepositoryWithLIDStore,
  SocketConfig,
} from '@whiskeysockets/baileys'
import type { LIDMappingStore } from '@whiskeysockets/baileys/lib/Signal/lid-mapping.js'
import { LidMapping } from '../../baileys/lid-mapping.ts'
import type { KeyChange } from '../key-store.ts'
import { addressId, createAddressBook, literalAddress } from './address/address-book.ts'
import { createAddressTurns } from './address/address-turns.ts'
import type { SignalRepositoryDeps } from './contract.ts'
import { SESSION_CLOSED } from './errors.ts'
import { acceptDistribution, encryptGroup, hasSenderKey, ownDistribution, type SenderName, senderLine } from './group.ts'
import { createLetters, type Letters } from './letters.ts'
import { migrateSessions } from './migration.ts'
import { createPartTurns, type PartTurn, type SealedPart } from './part-turns.ts'
import { type Advanced, loadSession, ownDevice, startSession } from './session.ts'
import { isOpen, sessionInfo } from './session-record.ts'

export interface SignalRepository extends SignalRepositoryWithLIDStore, Letters {
  /** Resolves when the address of the part is locked. Rejects with 'session closed' after `close`. */
  turnOf(part: SealedPart): Promise<PartTurn>
  assertOpen(): void
}

export type MakeSignalRepository = (...parts: Parameters<SocketConfig['makeSignalRepository']>) => SignalRepository

export function createSignalRepository(deps: SignalRepositoryDeps): MakeSignalRepository {
  return (auth, logger, pnToLIDFunc) =>
    openRepository(deps, auth.keys, new LidMapping(auth.keys as SignalKeyStoreWithTransaction, logger, pnToLIDFunc))
}

function openRepository(deps: SignalRepositoryDeps, view: SignalKeyStore, lidMapping: LIDMappingStore): SignalRepository {
  const { keys, locks } = deps
  const book = createAddressBook(view, lidMapping)
  const addresses = createAddressTurns(book, locks)
  let isClosed = false

  /** Throws after `close`, because handlers of an ended socket still run, and must have no effect. */
  function assertOpen(): void {
    if (isClosed) throw new Error(SESSION_CLOSED)
  }

  const turnOf = createPartTurns({ ...deps, addresses, assertOpen })
  const letters = createLetters({ ...deps, book, addresses, assertOpen })

  /** Our own key is stored under the jid that the caller passes: number or LID, whichever the group uses. */
  const ownSender = (group: string, meId: string): SenderName => ({
    group,
    author: literalAddress(meId),
    literal: literalAddress(meId),
  })

  async function commit<T>({ result, changes }: Advanced<T>): Promise<T> {
    await keys.commitTogether(changes)
    return result
  }

  return {
    lidMapping,
    jidToSignalProtocolAddress: (jid) => addressId(book.resolveNow(jid)),

    assertOpen,

    turnOf,

    // The service calls neither of these two functions, because the inbox decrypts every message with `turnOf`. The
    // interface of Baileys requires them.
    decryptMessage: decryptedByInbox,
    decryptGroupMessage: decryptedByInbox,

    ...letters,

    async encryptGroupMessage({ group, meId, data }) {
      assertOpen()
      const name = ownSender(group, meId)
      const { ciphertext, distribution } = await locks.run(senderLine(name), async () =>
        commit(await encryptGroup(keys, name, data)),
      )
      return { ciphertext: Buffer.from(ciphertext), senderKeyDistributionMessage: Buffer.from(distribution) }
    },

    async getSenderKeyDistributionMessage({ group, meId }) {
      const name = ownSender(group, meId)
      return Buffer.from(await locks.run(senderLine(name), async () => commit(await ownDistribution(keys, name))))
    },

    hasSenderKey: ({ group, meId }) => hasSenderKey(keys, ownSender(group, meId)),

    // The service never calls this function, because the inbox stores received keys with their messages. The interface
    // of Baileys requires it.
    async processSenderKeyDistributionMessage({ item, authorJid }) {
      const { groupId, axolotlSenderKeyDistributionMessage: distribution } = item
      if (!groupId) throw new Error('Group ID is required for sender key distribution message')
      if (!distribution) throw new Error('a sender key distribution message has no key')
      const name = await addresses.senderOf(groupId, authorJid)
      await locks.run(senderLine(name), async () => commit(await acceptDistribution(keys, name, distribution)))
    },

    async injectE2ESession({ jid, session }) {
      assertOpen()
      await addresses.at(jid, async (address) => commit(await startSession(deps, address, session)))
    },

    getSessionInfo: async (jid) => sessionInfo(await loadSession(deps, await book.resolve(jid))),

    async validateSession(jid) {
      const session = await loadSession(deps, await book.resolve(jid))
      if (!session) return { exists: false, reason: 'no session' }
      return isOpen(session) ? { exists: true } : { exists: false, reason: 'no open session' }
    },

    async deleteSession(jids) {
      const ids = new Set<string>()
      for (const jid of jids) {
        ids.add(addressId(literalAddress(jid)))
        ids.add(addressId(await book.resolve(jid)))
      }
      await locks.run([...ids], () => keys.commit([...ids].map((id): KeyChange => ['session', id, null])))
    },

    migrateSession: (fromJid, toJid) =>
      migrateSessions({ keys, view, locks, own: () => ownDevice(deps.creds()) }, fromJid, toJid),

    close() {
      isClosed = true
      lidMapping.close()
    },
  }
}

async function decryptedByInbox(): Promise<never> {
  throw new Error('the library asked to decrypt a message, which only the inbox does; the library has changed')
}
