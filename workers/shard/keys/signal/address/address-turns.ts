/** Acquires the lock of a person's address. The address is determined when the task's turn begins, because it can change while the task waits. */

import type { SenderName } from '../group.ts'
import { type Address, type AddressBook, addressId, literalAddress } from './address-book.ts'
import type { AddressLocks } from './address-locks.ts'

export interface AddressTurns {
  /** Resolves when the lock of the jid's address is taken. */
  acquire(jid: string): Promise<{ address: Address; release(): void }>
  at<T>(jid: string, work: (address: Address) => Promise<T>): Promise<T>
  senderOf(group: string, author: string): Promise<SenderName>
}

export function createAddressTurns(book: AddressBook, locks: AddressLocks): AddressTurns {
  /**
   * While a task waits, the session may move from the phone number's address to the LID's. The task then has the lock of the old address, so it
   * releases it and acquires the lock of the new one.
   */
  async function acquire(jid: string) {
    for (;;) {
      const address = await book.resolve(jid)
      const release = await locks.acquire(addressId(address))
      try {
        if (addressId(await book.resolve(jid)) === addressId(address)) return { address, release }
      } catch (error) {
        release()
        throw error
      }
      release()
    }
  }

  return {
    acquire,
    async at(jid, work) {
      const { address, release } = await acquire(jid)
      try {
        return await work(address)
      } finally {
        release()
      }
    },
    senderOf: async (group, author) => ({ group, author: await book.resolve(author), literal: literalAddress(author) }),
  }
}
