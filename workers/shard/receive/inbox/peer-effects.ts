/**
 * Applies the effects of messages of the account's own phone, after they were decrypted: they are processed one after the
 * other, and each is settled when all its effects are on disk. A message whose effects failed is tried again
 * after the next login, or set aside if they are impossible.
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
   * Takes a message that the phone sends only to its own devices, after its keys are stored. Its effects are on disk
   * when it resolves.
   */
  peer(message: proto.IMessage): Promise<void>
  steps: Steps
  log: Logger
}

/** The part of the socket that the effects need. */
export interface PeerSocket {
  /** Stores the keys of app state, and the pairs of number and LID, in a peer message. */
  storePeerKeys(message: proto.IMessage): Promise<void>
  /** Takes the history from before this device was linked. The history and all its effects are on disk when it resolves. */
  takeHistory(notice: proto.Message.IHistorySyncNotification): Promise<void>
  /** Resolves when all changes so far are on disk. */
  settled(): Promise<void>
  /** Closes the connection, so that the network delivers all unconfirmed stanzas again. */
  cut(): void
}

export interface PeerEffects {
  /** Begins the effects, unless those of an earlier delivery of the same message are running. */
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
  /** Peer messages whose effects are running or queued. */
  const settling = new Set<Mark>()
  /** Effects of peer messages, one after the other; never rejects. */
  let peerTail: Promise<void> = Promise.resolve()
  /**
   * Effects of histories. They run beside those of other peer messages, because the history of an old account takes long, and keys would have to wait
   * for it.
   */
  let historyTail: Promise<void> = Promise.resolve()

  /** Settles a message when its effects are on disk. */
  async function settle(stanza: MessageStanza, message: StanzaMessage) {
    await socket().settled()
    steps('inbox:peer-confirmed')
    await deps.peer(message.message ?? {})
    await commits.settled(stanza, [], message.key)
    steps('inbox:peer-settled')
  }

  /** Puts aside a message whose effects are impossible now and later: it is logged and kept for an investigation. The connection stays open. */
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
      // If the connection ended meanwhile, the id of a new key did not get into the credentials. The message is replayed from the journal.
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
      // The network may also deliver a message again that was replayed from the journal, so it is not processed twice.
      if (!settling.has(stanza.id)) settleLater(stanza, message)
    },
  }
}

export const historyNotice = ({ message }: StanzaMessage) => getHistoryMsg(message ?? {})

/** Whether the error was caused by the disk or by the end of the connection, and not by the message. */
const isOurs = (error: unknown) => error instanceof UnwrittenError || isPassing(error)
