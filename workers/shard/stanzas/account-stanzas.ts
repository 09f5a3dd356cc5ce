import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { iso, SECOND } from '../../../src/domain/clock.ts'
import type { SocketSession } from '../chats/session.ts'
import type { OwnParts } from '../connection/contract.ts'
import { handleDirty } from '../receive/effects/dirty.ts'
import { expirationIn, keysLeftIn, ownLidIn } from '../wire/account-notices.ts'
import { envelopeOf, networkTimeOf } from '../wire/envelope.ts'
import { bare } from '../wire/jid.ts'
import { loggedEffect } from './logged-effect.ts'
import type { StanzaParts } from './stanza-table.ts'

/** Minimum number of one-time keys on the network. If it has fewer, new keys are uploaded. */
const FEW_PRE_KEYS = 5

export interface AccountStanzaDeps {
  session: SocketSession
  own: OwnParts
  creds: AuthenticationCreds
  log: Logger
}

type AccountStanzas = Pick<
  StanzaParts,
  'learnOwnName' | 'learnOwnPair' | 'countLogin' | 'uploadPreKeys' | 'readAgain' | 'versionExpires'
>

export function accountStanzas({ session, own, creds, log }: AccountStanzaDeps): AccountStanzas {
  const { sock, identity } = session

  async function uploadPreKeys(node: BinaryNode) {
    if (keysLeftIn(node) < FEW_PRE_KEYS) await sock.uploadPreKeys()
  }

  const readAgain = loggedEffect(
    log,
    'data that the network reported as changed could not be read',
    handleDirty({ sock, readGroups: session.groups.read }),
  )

  return {
    learnOwnName(node) {
      const { from, participant, pushName } = envelopeOf(node)
      const { me } = creds
      if (!me || !pushName || me.name === pushName || !identity.isMe(participant || from)) return
      sock.ev.emit('creds.update', { me: { ...me, name: pushName } })
    },
    // Must be done before the first message. Otherwise the encryption session with the phone would begin under the
    // number and continue under the LID.
    learnOwnPair(node) {
      const lid = ownLidIn(node)
      return creds.me && lid ? session.learnPairs([{ pn: bare(creds.me.id), lid: bare(lid) }]) : undefined
    },
    countLogin: (node) => own.loggedIn(networkTimeOf(node)),
    uploadPreKeys: loggedEffect(log, 'one-time keys could not be uploaded', uploadPreKeys),
    // The query runs in the background, because no other step needs its result.
    readAgain: (node) => void readAgain(node),
    versionExpires(node) {
      const seconds = expirationIn(node)
      const expires_at = seconds === null ? null : iso(seconds * SECOND)
      log.warn({ expires_at }, 'the network announced that it will stop accepting this client version')
    },
  }
}
