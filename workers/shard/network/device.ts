/** How this device describes itself to the network when it registers and when it logs in. */
import { Browsers, proto, type SocketConfig } from '@whiskeysockets/baileys'

/** A plain browser name: the network answers 400 to a pairing code request from a device with any other name. */
export const BROWSER = Browsers.macOS('Chrome')

/**
 * Device type with which this browser registers (`Utils/validate-connection.js`, `getPlatformType`). The keys of a passkey ceremony are derived from
 * it.
 */
export const DEVICE_TYPE: number = proto.DeviceProps.PlatformType.CHROME

/** The part of the library's configuration from which it creates the payload of a login or a registration; the version is added to it. */
export const DEVICE: Pick<SocketConfig, 'browser' | 'syncFullHistory' | 'countryCode'> = {
  browser: BROWSER,
  syncFullHistory: false,
  countryCode: 'US',
}
