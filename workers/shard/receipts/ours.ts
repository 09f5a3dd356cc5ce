/**
 * Checks that the account wrote the messages of a receipt, because anybody can send a receipt for any id. An unknown id
 * is looked up again after earlier messages are written.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Identity } from '../connection/identity.ts'
import type { MessageLedger } from '../messages/message-ledger.ts'
import type { Receipt } from '../translate/inbound/receipt.ts'
import { allNames } from '../translate/inbound/secret.ts'
import { bare } from '../wire/jid.ts'

/** Maximum number of ids of a receipt that are looked up at once. A stanza can have a hundred thousand ids. */
const SLICE = 128

export interface OursDeps {
  identity: Pick<Identity, 'lidOf' | 'pnOf'>
  messages: Pick<MessageLedger, 'isOwn'>
  /** Resolves when the earlier messages are written; undefined if all are written already. */
  before: (() => Promise<void>) | undefined
}

export async function ofOurs(receipt: Receipt, { identity, messages, before }: OursDeps): Promise<Receipt | null> {
  // Another device of the account sends the receipt `sent` when it has sent the message, so no check is needed.
  if (receipt.status === 'sent') return receipt
  const chat = await allNames({ context: { identity } }, [bare(receipt.chat)])
  const ours = new Set(await ownOf(receipt.ids))
  if (before && ours.size < receipt.ids.length) {
    await before()
    for (const id of await ownOf(receipt.ids.filter((each) => !ours.has(each)))) ours.add(id)
  }
  return ours.size === 0 ? null : { ...receipt, ids: receipt.ids.filter((id) => ours.has(id)) }

  async function ownOf(ids: readonly string[]): Promise<string[]> {
    const found: string[] = []
    for (let from = 0; from < ids.length; from += SLICE) {
      if (from > 0) await nextTurn()
      const slice = ids.slice(from, from + SLICE)
      const isOwn = await Promise.all(slice.map((id) => messages.isOwn(id, chat)))
      found.push(...slice.filter((_, index) => isOwn[index]))
    }
    return found
  }
}
