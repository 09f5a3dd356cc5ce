/**
 * Unrefs the timeouts that the library sets for uploads of pre-keys. The library does not cancel them after a success,
 * so each would keep the process of a test alive for half a minute.
 */
import { UPLOAD_TIMEOUT } from '@whiskeysockets/baileys/lib/Defaults/index.js'

globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
  apply(setTimeout, self, args: Parameters<typeof globalThis.setTimeout>) {
    const timer: NodeJS.Timeout = Reflect.apply(setTimeout, self, args)
    return args[1] === UPLOAD_TIMEOUT ? timer.unref() : timer
  },
})
