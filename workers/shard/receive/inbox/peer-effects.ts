/**
 * Applies the effects of peer messages (from the account's own phone) after they were decrypted. They are processed one after the other, and each is
 * removed from the journal when all its effects are on disk. If the effects failed, the message is processed again after the next login; if they can
 * never succeed, it is set aside.
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
  /**
   * Handles a message that the phone sends only to its own devices. Call it when the keys in the message are stored. Resolves when its effects are on
   * disk.
   */
  peer(message: proto.IMessage): Promise<void>
  steps: Steps
  log: Logger
}

/** The functions of a session that the effects need. */
export interface PeerSocket {
  /** Stores the keys of app state, and the pairs of number and LID, in a peer message. */
  storePeerKeys(message: proto.IMessage): Promise<void>
  /** Reads the history of the time before this device was linked. Resolves when the history and all its effects are on disk. */
  takeHistory(notice: proto.Message.IHistorySyncNotification): Promise<void>
  /** Resolves when all changes so far are on disk. */
  settled(): Promise<void>
  /** Closes the connection, so that the network delivers all unconfirmed stanzas again. */
  cut(): void
}

export interface PeerEffects {
  /** Starts the effects of a message, unless the effects of an earlier delivery of it are running. */
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
  /** Ids of peer messages whose effects are running or queued. */
  const settling = new Set<Mark>()
  /** Promise of the last queued effects of peer messages, which run one after the other. Never rejects. */
  let peerTail: Promise<void> = Promise.resolve()
  /**
   * Promise of the last queued effects of histories. Histories have their own queue: the history of an old account takes long, and keys would have to
   * wait for it.
   */
  let historyTail: Promise<void> = Promise.resolve()

  /** Applies the effects of a message, and removes it from the journal when they are on disk. */
  async function settle(stanza: MessageStanza, message: StanzaMessage) {
    await socket().settled()
    steps('inbox:peer-confirmed')
    await deps.peer(message.message ?? {})
    await commits.settled(stanza, [], message.key)
    steps('inbox:peer-settled')
  }

  /** Sets aside a message whose effects can never succeed: it is logged and kept, so that a developer can examine it. The connection stays open. */
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
      // The connection has ended, so the id of a new key may not be in the credentials. The message stays in the journal, and is processed again
      // after the next login.
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
      // A history that cannot be read does not end the connection.
      .catch((error) => {
        if (isFenced()) return
        journal.failed(stanza.id)
        log.warn({ err: error }, "the phone's history could not be read; it is tried again after the next login")
      })
      .finally(() => settling.delete(stanza.id))
  }

  return {
    begin(stanza, message) {
      // The network may deliver a message again that is also replayed from the journal. It must not be processed twice.
      if (!settling.has(stanza.id)) settleLater(stanza, message)
    },
  }
}

export const historyNotice = ({ message }: StanzaMessage) => getHistoryMsg(message ?? {})

/** Whether the disk or the end of the connection caused the error, and not the message. */
const isOurs = (error: unknown) => error instanceof UnwrittenError || isPassing(error)
