/**
 * Checks that the account wrote the messages of a receipt. Anybody can send a receipt for any id, so it only counts for a message that the account
 * wrote in exactly that chat (`messages/authorship.ts`). A message of our own phone and its receipts arrive close together, and the message takes
 * longer to process: so if an id is unknown, it is looked up once more after all earlier messages are written.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Identity } from '../connection/identity.ts'
import type { MessageLedger } from '../messages/message-ledger.ts'
import type { Receipt } from '../translate/inbound/receipt.ts'
import { allNames } from '../translate/inbound/secret.ts'
import { bare } from '../wire/jid.ts'

/** Number of ids that are looked up at a time: a stanza can have a hundred thousand, and other tasks must run in between. */
const SLICE = 128

export interface OursDeps {
  identity: Pick<Identity, 'lidOf' | 'pnOf'>
  messages: Pick<MessageLedger, 'isOwn'>
  /** Resolves when the earlier messages are written; undefined if all of them already are. */
  before: (() => Promise<void>) | undefined
}

/** Returns the receipt with only the ids of messages that the account wrote; null if there are none. */
export async function ofOurs(receipt: Receipt, { identity, messages, before }: OursDeps): Promise<Receipt | null> {
  // A receipt of our own device needs no check, because that device has just sent the message.
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
