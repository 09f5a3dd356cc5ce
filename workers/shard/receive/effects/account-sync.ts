/** `<notification type=account_sync>`: what another of our own devices changed about the account. Each change is a child of its own. */
import { type BinaryNode, getAllBinaryNodeChildren, type WASocket } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'

export interface AccountSyncDeps {
  sock: Pick<WASocket, 'ev' | 'authState' | 'fetchPrivacySettings'>
  devicesChanged(notice: BinaryNode): Promise<void>
  log: Pick<Logger, 'info'>
}

export const accountSynced =
  ({ sock, devicesChanged, log }: AccountSyncDeps) =>
  async (notice: BinaryNode): Promise<void> => {
    for (const change of getAllBinaryNodeChildren(notice)) {
      switch (change.tag) {
        case 'devices':
          await devicesChanged({ ...notice, content: [change] })
          break
        case 'disappearing_mode':
          keepDefault(change)
          break
        case 'privacy':
          // Whether others see that we read: the library keeps the settings, and asks anew when told to. Nothing waits for the answer.
          sock.fetchPrivacySettings(true).catch((error) => log.info({ err: error }, 'changed privacy settings could not be read'))
          break
      }
    }

    /** How long new chats keep their messages. */
    function keepDefault({ attrs }: BinaryNode) {
      const [ephemeralExpiration, ephemeralSettingTimestamp] = [Number(attrs.duration), Number(attrs.t)]
      if (!Number.isSafeInteger(ephemeralExpiration) || !Number.isSafeInteger(ephemeralSettingTimestamp)) return
      const { accountSettings } = sock.authState.creds
      sock.ev.emit('creds.update', {
        accountSettings: { ...accountSettings, defaultDisappearingMode: { ephemeralExpiration, ephemeralSettingTimestamp } },
      })
    }
  }
