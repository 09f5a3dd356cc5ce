/**
 * Applies the effects of messages from the account's own phone in order, and those of histories in a queue of their
 * own. A message stays in the journal until its effects are on disk. After a failure that may pass, it is processed
 * again after the next login; otherwise it is set aside.
 */
import { getHistoryMsg, type proto } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { isPassing } from '../../../../src/domain/passing-error.ts'
import type { Steps } from '../../../../src/domain/steps.ts'
import type { Mark } from '../../messages/seen-marks.ts'
import { unwrap } from '../../translate/inbound/content.ts'
import { idOf } from '../../wire/envelope.ts'
import { type InboxCommits, UnwrittenError } from './inbox-commits.ts'
import type { Journal } from './journal.ts'
import type { MessageStanza, StanzaMessage } from './stanza-message.ts'
import { type NoteUnreadable, never } from './unreadable-notes.ts'

export interface PeerEffectsDeps {
  socket(): PeerSocket
  commits: Pick<InboxCommits, 'settled'>
  journal: Pick<Journal, 'setAside' | 'failed'>
  noteUnreadable: NoteUnreadable
  isFenced(): boolean
  peer(message: proto.IMessage): Promise<void>
  steps: Steps
  log: Logger
}

export interface PeerSocket {
  storePeerKeys(message: proto.IMessage): Promise<void>
  takeHistory(notice: proto.Message.IHistorySyncNotification): Promise<void>
  settled(): Promise<void>
  cut(): void
}

export interface PeerEffects {
  /** Starts the effects of the message. Does nothing if the effects of an earlier delivery are still running. */
  begin(stanza: MessageStanza, message: StanzaMessage): void
}

export function createPeerEffects({
  commits,
  journal,
  noteUnreadable,
  isFenced,
  steps,
  log,
  ...deps
}: PeerEffectsDeps): PeerEffects {
  const { socket } = deps
  const settling = new Set<Mark>()
  let peerTail: Promise<void> = Promise.resolve()
  /** Histories have their own queue, because the history of an old account takes long, and keys would have to wait. */
  let historyTail: Promise<void> = Promise.resolve()

  async function settle(stanza: MessageStanza, message: StanzaMessage) {
    await socket().settled()
    steps('inbox:peer-confirmed')
    await deps.peer(message.message ?? {})
    await commits.settled(stanza, [], message.key)
    steps('inbox:peer-settled')
  }

  /**
   * Moves a message whose effects can never succeed out of the journal. It is reported as unreadable, and kept for
   * developers.
   */
  async function setAside(stanza: MessageStanza, field: string) {
    await noteUnreadable(stanza.node, never(field))
    await journal.setAside(stanza.id)
  }

  async function peerFailed(stanza: MessageStanza, message: StanzaMessage, error: unknown) {
    if (isFenced()) return
    if (!isOurs(error)) {
      log.error(
        { err: error, stanza: idOf(stanza.node) },
        "a message from the account's own phone could not be processed; it is stored but not tried again",
      )
      try {
        return await setAside(stanza, unwrap(message.message ?? {})?.field ?? stanza.node.tag)
      } catch (cause) {
        error = cause
      }
    }
    journal.failed(stanza.id)
    log.warn(
      { err: error },
      "a message from the account's own phone could not be completed; it is tried again after the next login",
    )
    socket().cut()
  }

  function settleLater(stanza: MessageStanza, message: StanzaMessage) {
    const notice = historyNotice(message)
    settling.add(stanza.id)
    const applied = peerTail.then(async () => {
      if (isFenced()) return
      await socket().storePeerKeys(message.message ?? {})
      // The next session may have read the credentials before a new key was saved in them. So the message is processed
      // again after the next login.
      if (isFenced()) return
      if (!notice) await settle(stanza, message)
    })
    peerTail = applied.catch((error) => peerFailed(stanza, message, error))
    if (!notice) return void peerTail.finally(() => settling.delete(stanza.id))
    historyTail = historyTail
      .then(async () => {
        const isApplied = await applied.then(
          () => true,
          () => false,
        )
        if (!isApplied || isFenced()) return
        await socket().takeHistory(notice)
        await settle(stanza, message)
      })
      // If a history cannot be read, this does not end the connection.
      .catch((error) => {
        if (isFenced()) return
        journal.failed(stanza.id)
        log.warn({ err: error }, "the phone's history could not be read; it is tried again after the next login")
      })
      .finally(() => settling.delete(stanza.id))
  }

  return {
    begin(stanza, message) {
      // The network may deliver a message that is also replayed from the journal. It must not be processed twice.
      if (!settling.has(stanza.id)) settleLater(stanza, message)
    },
  }
}

export const historyNotice = ({ message }: StanzaMessage) => getHistoryMsg(message ?? {})

const isOurs = (error: unknown) => error instanceof UnwrittenError || isPassing(error)
