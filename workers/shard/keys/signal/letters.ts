/** Encrypts messages for devices. The changed sessions are committed before the ciphertexts are returned. */
import type { SignalRepositoryWithLIDStore } from '@whiskeysockets/baileys'
import type { KeyChange } from '../key-store.ts'
import { type Address, type AddressBook, addressId } from './address/address-book.ts'
import type { AddressTurns } from './address/address-turns.ts'
import type { SignalRepositoryDeps } from './contract.ts'
import { SignalError } from './errors.ts'
import { encryptWith } from './session.ts'

const PRE_KEY_MESSAGE = 3

export interface Letter {
  jid: string
  data: Uint8Array
}

export interface SealedLetter {
  jid: string
  type: 'pkmsg' | 'msg'
  ciphertext: Uint8Array
}

export interface Letters extends Pick<SignalRepositoryWithLIDStore, 'encryptMessage'> {
  /**
   * Encrypts messages for several devices under the locks of all of them, and commits the sessions together. Null if a
   * device has no usable session, or if two jids name the same device; then nothing has changed.
   */
  encryptAll(letters: readonly Letter[]): Promise<SealedLetter[] | null>
  /** Encrypts messages for several devices. A device whose session or key is missing or unusable is omitted. */
  encryptEach(letters: readonly Letter[]): Promise<SealedLetter[]>
}

export interface LettersDeps extends SignalRepositoryDeps {
  book: AddressBook
  addresses: AddressTurns
  assertOpen(): void
}

export function createLetters({ book, addresses: turns, assertOpen, ...deps }: LettersDeps): Letters {
  const { keys, locks } = deps
  const addressesOf = (letters: readonly Letter[]) => Promise.all(letters.map(({ jid }) => book.resolve(jid)))

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

  async function encryptMessage({ jid, data }: Letter) {
    assertOpen()
    const { type, body } = await turns.at(jid, async (address) => {
      assertOpen()
      const { result, changes } = await encryptWith(deps, address, data)
      await keys.commitTogether(changes)
      return result
    })
    return { type: type === PRE_KEY_MESSAGE ? ('pkmsg' as const) : ('msg' as const), ciphertext: Buffer.from(body) }
  }

  /**
   * Null for a `SignalError`: the session, the key or the address of the device is missing or unusable. Any other
   * failure is thrown, so that a failure of the store omits no device.
   */
  async function sealOrOmit(letter: Letter): Promise<SealedLetter | null> {
    try {
      return { jid: letter.jid, ...(await encryptMessage(letter)) }
    } catch (error) {
      if (error instanceof SignalError) return null
      throw error
    }
  }

  return {
    encryptMessage,

    async encryptEach(letters) {
      const sealed = await Promise.all(letters.map(sealOrOmit))
      return sealed.filter((each) => each !== null)
    },

    async encryptAll(letters) {
      for (;;) {
        assertOpen()
        const addresses = await addressesOf(letters)
        const ids = addresses.map(addressId)
        if (new Set(ids).size < ids.length) return null
        const done = await locks.run(ids, async () => {
          assertOpen()
          const now = (await addressesOf(letters)).map(addressId)
          return now.every((id, index) => id === ids[index]) ? { sealed: await sealAll(letters, addresses) } : undefined
        })
        if (done) return done.sealed
      }
    },
  }
}
