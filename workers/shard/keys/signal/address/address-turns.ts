import type { SenderName } from '../group.ts'
import { type Address, type AddressBook, addressId, literalAddress } from './address-book.ts'
import type { AddressLocks } from './address-locks.ts'

export interface AddressTurns {
  acquire(jid: string): Promise<{ address: Address; release(): void }>
  at<T>(jid: string, work: (address: Address) => Promise<T>): Promise<T>
  senderOf(group: string, author: string): Promise<SenderName>
}

export function createAddressTurns(book: AddressBook, locks: AddressLocks): AddressTurns {
  /**
   * Locks the address of a jid. If the session moves from the number's address to the LID's before the lock is free,
   * the LID's address is locked instead.
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
