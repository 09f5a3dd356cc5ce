import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import type { Clock } from '../../../src/domain/clock.ts'
import type { SocketSession } from '../chats/session.ts'
import type { AccountDirectory } from '../directory/account-directory.ts'
import type { Receiving } from '../receive/receiving.ts'
import { ownReadIn } from '../translate/inbound/receipt.ts'
import { secondsOf } from '../wire/bounds.ts'
import { chatChangesIn, groupExpiryIn, isNewGroup } from '../wire/chat-changes.ts'
import { envelopeOf } from '../wire/envelope.ts'
import type { StanzaParts } from './stanza-table.ts'

export interface ChatStanzaDeps {
  session: SocketSession
  creds: AuthenticationCreds
  directory: Pick<AccountDirectory, 'ready' | 'group' | 'read'>
  receiving: Pick<Receiving, 'chatChanged'>
  clock: Clock
}

type ChatStanzas = Pick<StanzaParts, 'changeChats' | 'followGroup' | 'takeReceipt'>

export function chatStanzas(deps: ChatStanzaDeps, receipt: StanzaParts['takeReceipt']): ChatStanzas {
  const { session, creds, directory, receiving, clock } = deps

  async function readElsewhere({ chat, ids }: { chat: string; ids: readonly string[] }) {
    await directory.ready()
    directory.read(ids.map((id) => ({ remoteJid: chat, id })))
  }

  async function learnGroupNotice(node: BinaryNode, name: string | undefined) {
    const { from, t } = envelopeOf(node)
    await directory.ready()
    directory.group(from, {
      name,
      ephemeralSeconds: groupExpiryIn(node) ?? undefined,
      joinedAt: isNewGroup(node) ? secondsOf(t, clock.now()) : undefined,
    })
  }

  return {
    async changeChats(node) {
      const changes = chatChangesIn(node)
      if (envelopeOf(node).type === 'w:gp2') await learnGroupNotice(node, changes[0]?.name ?? undefined)
      for (const change of changes) await receiving.chatChanged(change)
    },
    followGroup: session.groups.noticed,
    takeReceipt(node) {
      const read = creds.me && ownReadIn(node, creds.me)
      return read ? readElsewhere(read) : receipt(node)
    },
  }
}
