import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { type AccountChange, accountChangesIn } from '../../wire/account-notices.ts'

export interface AccountSyncDeps {
  sock: Pick<NetworkSocket, 'ev' | 'authState'>
  privacySettings(): Promise<unknown>
  devicesChanged(notice: BinaryNode): Promise<void>
  log: Pick<Logger, 'info'>
}

export const accountSynced =
  ({ sock, privacySettings, devicesChanged, log }: AccountSyncDeps) =>
  async (notice: BinaryNode): Promise<void> => {
    for (const change of accountChangesIn(notice)) {
      switch (change.type) {
        case 'devices':
          await devicesChanged(change.notice)
          break
        case 'disappearing_mode':
          keepDefault(change)
          break
        case 'privacy':
          // The privacy settings decide whether others see read receipts, so they are queried again. No caller waits
          // for the answer.
          privacySettings().catch((error) =>
            log.info({ err: error }, 'the changed privacy settings could not be read from the network'),
          )
          break
      }
    }

    function keepDefault({ duration, since }: Extract<AccountChange, { type: 'disappearing_mode' }>) {
      const { accountSettings } = sock.authState.creds
      const defaultDisappearingMode = { ephemeralExpiration: duration, ephemeralSettingTimestamp: since }
      sock.ev.emit('creds.update', { accountSettings: { ...accountSettings, defaultDisappearingMode } })
    }
  }
