/** Links an instance with a passkey. An attempt ends with its socket; the last error is kept for later sockets. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Clock } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import {
  type Assertion,
  PASSKEY_ATTEMPTS,
  type PasskeyError,
  type PasskeyReport,
  type PasskeyStage,
} from '../../../../src/domain/passkey.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { isFromServer } from '../../wire/passkey.ts'
import { type Ceremony, createPasskeyCeremony, type PasskeyEvents } from './passkey-ceremony.ts'

export interface PasskeySocket {
  sock: Pick<NetworkSocket, 'authState' | 'ev' | 'query'>
  settled(): Promise<void>
  onBegin(): void
  events: PasskeyEvents
}

export interface SocketPasskey {
  readonly isUnderWay: boolean
  asked(notice: BinaryNode): Promise<void>
  continued(notice: BinaryNode): void
  linked(): void
  ended(wasLeft: boolean): void
}

export interface PasskeyPairing {
  attach(socket: PasskeySocket): SocketPasskey
  state(): PasskeyReport
  respond(assertion: Assertion): Promise<PasskeyStage>
  confirm(matches: boolean): void
  timedOut(): void
}

const NONE = {
  ceremony: null,
  stage: 'none',
  public_key: null,
  expires_at: null,
  attempts_left: PASSKEY_ATTEMPTS,
  code: null,
  needs_confirmation: false,
} as const

export function createPasskeyPairing(deps: { clock: Clock; steady: Clock; log: Logger }): PasskeyPairing {
  let current: Ceremony | null = null
  let lastError: PasskeyError | null = null

  function running(): Ceremony {
    if (!current) throw new Failure('passkey_not_pending')
    return current
  }

  return {
    attach({ sock, settled, onBegin, events }) {
      let own: Ceremony | null = null

      function begin(): Ceremony {
        onBegin()
        lastError = null
        const begun = createPasskeyCeremony({
          ...deps,
          sock,
          settled,
          events,
          onError(error) {
            lastError = error
          },
          onEnd(error) {
            lastError = error
            if (current === begun) current = null
            if (own === begun) own = null
          },
        })
        own = begun
        current = begun
        return begun
      }

      return {
        get isUnderWay() {
          return own !== null
        },
        async asked(notice) {
          if (isFromServer(notice) && !sock.authState.creds.account) await (own ?? begin()).asked(notice)
        },
        continued(notice) {
          if (isFromServer(notice)) own?.continued(notice)
        },
        linked: () => own?.end(null),
        ended: (wasLeft) => own?.end(wasLeft ? null : 'connection_lost'),
      }
    },
    state: () => (current ? { ...current.state(), last_error: lastError } : { ...NONE, last_error: lastError }),
    respond: async (assertion) => running().respond(assertion),
    confirm: (matches) => running().confirm(matches),
    timedOut: () => current?.end('timed_out'),
  }
}
