/** How this device describes itself to the network when it registers and when it logs in. */
import { Browsers, proto, type SocketConfig } from '@whiskeysockets/baileys'

/**
 * The name of this device. The network answers 400 to a pairing code request from a device with any other
 * name.
 */
export const BROWSER = Browsers.macOS('Chrome')

/** The type of this device. The keys of a pairing with a passkey are derived from it. */
export const DEVICE_TYPE: number = proto.DeviceProps.PlatformType.CHROME

export const DEVICE: Pick<SocketConfig, 'browser' | 'syncFullHistory' | 'countryCode'> = {
  browser: BROWSER,
  syncFullHistory: false,
  countryCode: 'US',
}
