/**
 * Decrypts received messages part by part (a part is one ciphertext). The sender's session or sender key stays locked
 * until the changes have been passed to a commit, because the next part reads them.
 */
import type { KeyChange } from '../key-store.ts'
import type { AddressTurns } from './address/address-turns.ts'
import type { SignalRepositoryDeps } from './contract.ts'
import { findDistribution } from './distribution.ts'
import { SignalError } from './errors.ts'
import { acceptDistribution, decryptGroup, type SenderName, senderLine } from './group.ts'
import { decryptWith } from './session.ts'

export interface SealedPart {
  type: 'pkmsg' | 'msg' | 'skmsg'
  /** The chat and the author of a stanza. In a 1:1 chat these are the same. */
  chat: string
  author: string
  ciphertext: Uint8Array
}

export interface OpenedPart {
  plaintext: Uint8Array
  changes: readonly KeyChange[]
}

/** Decrypts one part. The session or the sender key of the part is locked until `end` is called. */
export interface PartTurn {
  /**
   * Decrypts the part, and writes nothing. Pass `changes` to the key store before `end`, because the next part builds
   * on them. Rejects with a `SignalError` if the part itself is the cause.
   */
  decrypt(): Promise<OpenedPart>
  end(): void
}

export interface PartTurnsDeps extends SignalRepositoryDeps {
  addresses: AddressTurns
  assertOpen(): void
}

export function createPartTurns({ addresses, assertOpen, ...deps }: PartTurnsDeps): (part: SealedPart) => Promise<PartTurn> {
  const { locks } = deps
  /**
   * Dependencies of the decryption. `keys` also contains the changes of earlier messages that are still being written.
   */
  const receiving = { ...deps, keys: deps.keys.ahead }

  async function directTurn({ type, author, ciphertext }: SealedPart & { type: 'pkmsg' | 'msg' }): Promise<PartTurn> {
    const { address, release } = await addresses.acquire(author)
    let releaseSender = () => {}
    return {
      async decrypt() {
        const { result: plaintext, changes } = await decryptWith(receiving, address, type, ciphertext)
        const found = findDistribution(plaintext)
        if (!found) return { plaintext, changes }
        const name = await addresses.senderOf(found.groupId, author)
        releaseSender = await locks.acquire(senderLine(name))
        return { plaintext, changes: [...changes, ...(await distributionChanges(name, found.distribution))] }
      },
      end() {
        releaseSender()
        release()
      },
    }
  }

  /**
   * Returns the changes of a received sender key. They are in the commit of the message that contained the key, because
   * the key is not sent again.
   */
  async function distributionChanges(name: SenderName, distribution: Uint8Array): Promise<readonly KeyChange[]> {
    try {
      return (await acceptDistribution(receiving.keys, name, distribution)).changes
    } catch (error) {
      // The key is unusable and is ignored, because the message that contained it is valid.
      if (error instanceof SignalError) return []
      throw error
    }
  }

  async function groupTurn({ chat, author, ciphertext }: SealedPart): Promise<PartTurn> {
    const name = await addresses.senderOf(chat, author)
    const end = await locks.acquire(senderLine(name))
    return {
      async decrypt() {
        const { result: plaintext, changes } = await decryptGroup(receiving.keys, name, ciphertext)
        return { plaintext, changes }
      },
      end,
    }
  }

  return async (part) => {
    assertOpen()
    const turn = await (part.type === 'skmsg' ? groupTurn(part) : directTurn({ ...part, type: part.type }))
    try {
      assertOpen()
    } catch (error) {
      turn.end()
      throw error
    }
    return turn
  }
}
