import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { SocketSession } from '../chats/session.ts'
import type { OwnParts } from '../connection/contract.ts'
import { accountSynced } from '../receive/effects/account-sync.ts'
import { createDevices } from '../receive/effects/devices.ts'
import { identityChanged } from '../receive/effects/identity-change.ts'
import { createLidPairs } from '../receive/effects/lid-pairs.ts'
import { createLidRefresh } from '../receive/effects/lid-refresh.ts'
import { handleMex } from '../receive/effects/mex.ts'
import { createPrivacyTokens } from '../receive/effects/privacy-tokens.ts'
import type { StanzaParts } from './stanza-table.ts'

export interface DeviceStanzaDeps {
  session: SocketSession
  own: Pick<OwnParts, 'restriction'>
  steady: Clock
  log: Logger
}

type DeviceStanzas = Pick<
  StanzaParts,
  | 'learnPairs'
  | 'storeToken'
  | 'renewToken'
  | 'dropDevices'
  | 'compareDevices'
  | 'changeIdentity'
  | 'syncAccount'
  | 'limitAccount'
  | 'refreshLid'
>

export function deviceStanzas({ session, own, steady, log }: DeviceStanzaDeps): DeviceStanzas {
  const { ask, sock, identity, groups, learnPairs: storePairs } = session
  const devices = createDevices({ sock, identity, lists: session.devices, groups })
  const forgetDevices = devices.forget
  const tokens = createPrivacyTokens(session.tokens)

  return {
    learnPairs: createLidPairs(sock),
    storeToken: tokens.came,
    renewToken: tokens.refused,
    dropDevices: devices.changed,
    compareDevices: devices.acked,
    changeIdentity: identityChanged({ sock, identity, forgetDevices, tokens: session.tokens }),
    syncAccount: accountSynced({ sock, privacySettings: session.privacySettings, devicesChanged: devices.changed, log }),
    limitAccount: handleMex({
      restricted: own.restriction.lockChanged,
      storePairs,
      pnOf: (lid) => identity.pnOf(lid),
      forgetDevices,
      log,
    }),
    refreshLid: createLidRefresh({ ask, identity, storePairs, forgetDevices, clock: steady, log }),
  }
}
