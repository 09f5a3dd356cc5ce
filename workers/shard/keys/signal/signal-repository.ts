/**
 * The Signal repository for the socket (`makeSignalRepository`): whatsapp-rust-bridge for the crypto, one mutex per resolved address, and keys that
 * are written directly to the store.
 *
 * The library's own repository reads and writes sessions inside transactions with different keys for sends and receives: with a store that takes
 * time, both read the same session, both advance it, and one of the steps is lost.
 */
import type {
  AuthenticationCreds,
  SignalKeyStore,
  SignalKeyStoreWithTransaction,
  SignalRepositoryWithLIDStore,
  SocketConfig,
} from '@whiskeysockets/baileys'
import type { LIDMappingStore } from '@whiskeysockets/baileys/lib/Signal/lid-mapping.js'
import { LidMapping } from '../../baileys/lid-mapping.ts'
import type { KeyChange, KeyStore } from '../key-store.ts'
import { type Address, addressId, createAddressBook, literalAddress } from './address-book.ts'
import type { AddressLocks } from './address-locks.ts'
import { findDistribution } from './distribution.ts'
import { SESSION_CLOSED, SignalError } from './errors.ts'
import {
  acceptDistribution,
  decryptGroup,
  encryptGroup,
  hasSenderKey,
  ownDistribution,
  type SenderName,
  senderLine,
} from './group.ts'
import type { Inbox } from './inbox-seam.ts'
import { migrateSessions } from './migration.ts'
import { type Advanced, decryptWith, encryptWith, loadSession, ownDevice, startSession } from './session.ts'
import { isOpen, sessionInfo } from './session-record.ts'

export interface SignalRepositoryDeps {
  keys: KeyStore
  /** Called at every operation, so that a new signed pre-key is used immediately. */
  creds: () => AuthenticationCreds
  /** Locks of the instance, shared by all its sockets. */
  locks: AddressLocks
  inbox: Inbox
}

/** The module's number for a message that starts a session. */
const PRE_KEY_MESSAGE = 3

type MakeSignalRepository = SocketConfig['makeSignalRepository']

/** A plaintext for a device. */
export interface Letter {
  jid: string
  data: Uint8Array
}

export interface SealedLetter {
  jid: string
  type: 'pkmsg' | 'msg'
  ciphertext: Uint8Array
}

/** The interface for the library's socket, and the methods that only our code uses. */
export interface SignalRepository extends SignalRepositoryWithLIDStore {
  /**
   * Encrypts for several devices under the locks of all of them, and commits their sessions together. Null if one of them has no session to send in,
   * or if two are the same; then nothing has changed.
   */
  encryptAll(letters: readonly Letter[]): Promise<SealedLetter[] | null>
}

export function createSignalRepository(deps: SignalRepositoryDeps): MakeSignalRepository {
  return (auth, logger, pnToLIDFunc) =>
    openRepository(deps, auth.keys, new LidMapping(auth.keys as SignalKeyStoreWithTransaction, logger, pnToLIDFunc))
}

function openRepository(deps: SignalRepositoryDeps, view: SignalKeyStore, lidMapping: LIDMappingStore): SignalRepository {
  const { keys, locks, inbox } = deps
  /** The inbox writes a decrypted message, after the earlier ones. */
  const receiving = { ...deps, keys: keys.ahead }
  const book = createAddressBook(view, lidMapping)
  let isClosed = false

  /** Handlers of an ended socket still run. Their sends have no effect, and the messages they receive are delivered again. */
  function assertOpen(): void {
    if (isClosed) throw new Error(SESSION_CLOSED)
  }

  /** While a task waits, the session may move from the phone number's address to the LID's. The task then holds the wrong mutex and starts over. */
  async function atAddress<T>(jid: string, work: (address: Address) => Promise<T>): Promise<T> {
    for (;;) {
      const address = await book.resolve(jid)
      const done = await locks.run(addressId(address), async () => {
        const now = await book.resolve(jid)
        return addressId(now) === addressId(address) ? { result: await work(address) } : undefined
      })
      if (done) return done.result
    }
  }

  const sender = async (group: string, author: string): Promise<SenderName> => ({
    group,
    author: await book.resolve(author),
    literal: literalAddress(author),
  })

  /** Our own key is stored under the name that the library requests: the group's addressing decides which of our two names it uses. */
  const ownSender = (group: string, meId: string): SenderName => ({
    group,
    author: literalAddress(meId),
    literal: literalAddress(meId),
  })

  async function commit<T>({ result, changes }: Advanced<T>): Promise<T> {
    await keys.commitTogether(changes)
    return result
  }

  const addressesOf = (letters: readonly Letter[]) => Promise.all(letters.map(({ jid }) => book.resolve(jid)))

  /** Requires that the locks are held. */
  async function sealAll(letters: readonly Letter[], addresses: readonly Address[]): Promise<SealedLetter[] | null> {
    const changes: KeyChange[] = []
    const sealed: SealedLetter[] = []
    for (const [index, { jid, data }] of letters.entries()) {
      try {
        const { result, changes: mine } = await encryptWith(deps, addresses[index]!, data)
        changes.push(...mine)
        sealed.push({ jid, type: result.type === PRE_KEY_MESSAGE ? 'pkmsg' : 'msg', ciphertext: result.body })
      } catch (error) {
        if (error instanceof SignalError) return null
        throw error
      }
    }
    await keys.commit(changes)
    return sealed
  }

  /** Checked before waiting for the mutex and again inside, because in between the repository may be closed, or the same ciphertext decrypted. */
  function openedBefore(ciphertext: Uint8Array): Uint8Array | undefined {
    assertOpen()
    return inbox.admit(ciphertext)
  }

  /** An error other than `SignalError` is a failure of ours and proves nothing about the message. The module throws strings. */
  async function throwingErrors(work: () => Promise<Uint8Array>): Promise<Uint8Array> {
    try {
      return await work()
    } catch (thrown) {
      throw thrown instanceof Error ? thrown : new Error(String(thrown))
    }
  }

  /** Runs with the mutex held. The plaintext is returned only after `opened` has resolved. */
  async function openPart(
    ciphertext: Uint8Array,
    decrypt: () => Promise<Advanced<Uint8Array>>,
    brought?: (plaintext: Uint8Array, finish: (changes: KeyChange[]) => Promise<void>) => Promise<void>,
  ): Promise<Uint8Array> {
    const known = openedBefore(ciphertext)
    if (known) return known
    const { result: plaintext, changes } = await decrypt()
    const finish = (more: KeyChange[]) => inbox.opened({ ciphertext, plaintext, changes: [...changes, ...more] })
    await (brought ? brought(plaintext, finish) : finish([]))
    return plaintext
  }

  /**
   * A sender key becomes durable together with the message that contained it, because the message cannot be decrypted twice and the key is not sent
   * again. The library passes the same key in again, which changes nothing.
   */
  async function withDistribution(
    jid: string,
    plaintext: Uint8Array,
    finish: (changes: KeyChange[]) => Promise<void>,
  ): Promise<void> {
    const found = findDistribution(plaintext)
    if (!found) return finish([])
    const name = await sender(found.groupId, jid)
    return locks.run(senderLine(name), async () => {
      const accepted = await acceptDistribution(keys.ahead, name, found.distribution).catch((error) => {
        // The key is unusable: the library gets the same error next and logs it. The message itself is valid.
        if (error instanceof SignalError) return { changes: [] }
        throw error
      })
      await finish(accepted.changes)
    })
  }

  return {
    lidMapping,
    jidToSignalProtocolAddress: (jid) => addressId(book.resolveNow(jid)),

    async decryptMessage({ jid, type, ciphertext }) {
      const known = openedBefore(ciphertext)
      if (known) return known
      return throwingErrors(() =>
        atAddress(jid, (address) =>
          openPart(
            ciphertext,
            () => decryptWith(receiving, address, type, ciphertext),
            (plaintext, finish) => withDistribution(jid, plaintext, finish),
          ),
        ),
      )
    },

    async encryptMessage({ jid, data }) {
      assertOpen()
      const { type, body } = await atAddress(jid, async (address) => {
        assertOpen()
        return commit(await encryptWith(deps, address, data))
      })
      return { type: type === PRE_KEY_MESSAGE ? 'pkmsg' : 'msg', ciphertext: Buffer.from(body) }
    },

    async encryptAll(letters) {
      for (;;) {
        assertOpen()
        const addresses = await addressesOf(letters)
        const ids = addresses.map(addressId)
        if (new Set(ids).size < ids.length) return null
        const done = await locks.run(ids, async () => {
          assertOpen()
          // While it waited, a session may have moved to the LID's address.
          const now = (await addressesOf(letters)).map(addressId)
          return now.every((id, index) => id === ids[index]) ? { sealed: await sealAll(letters, addresses) } : undefined
        })
        if (done) return done.sealed
      }
    },

    async decryptGroupMessage({ group, authorJid, msg }) {
      const known = openedBefore(msg)
      if (known) return known
      return throwingErrors(async () => {
        const name = await sender(group, authorJid)
        return locks.run(senderLine(name), () => openPart(msg, () => decryptGroup(keys.ahead, name, msg)))
      })
    },

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

    // Not refused after `close`: the message that contained the key is finished, so the network will not deliver it again.
    async processSenderKeyDistributionMessage({ item, authorJid }) {
      const { groupId, axolotlSenderKeyDistributionMessage: distribution } = item
      if (!groupId) throw new Error('Group ID is required for sender key distribution message')
      if (!distribution) throw new Error('a sender key distribution message has no key')
      const name = await sender(groupId, authorJid)
      await locks.run(senderLine(name), async () => commit(await acceptDistribution(keys, name, distribution)))
    },

    async injectE2ESession({ jid, session }) {
      assertOpen()
      await atAddress(jid, async (address) => commit(await startSession(deps, address, session)))
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
