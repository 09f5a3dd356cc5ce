/**
 * The library looks strings of a stanza up in a plain object (WABinary/encode.js): `constructor`, `__proto__` and the like are found there without
 * being a token, and are sent empty. A message with such an id was never acked, and came again at every login.
 */
import { TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js'

export function forgetInheritedTokens(): void {
  Object.setPrototypeOf(TOKEN_MAP, null)
}
