/**
 * Empties the prototype of the library's token table. The library looks up strings of a stanza in a plain object (WABinary/encode.js). `constructor`,
 * `__proto__` and similar strings are found in this object although they are no tokens, and are sent as empty strings. A message with such an id was
 * never acked, and arrived again at every login.
 */
import { TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js'

export function forgetInheritedTokens(): void {
  Object.setPrototypeOf(TOKEN_MAP, null)
}
