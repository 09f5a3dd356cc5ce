/**
 * Unrefs timers of this length, so that they do not keep the process alive. The library does not cancel its timeout for
 * an upload of pre-keys when the upload has succeeded. That timer would keep the process of a test alive for half a
 * minute. The shards of a service do not need this change, because the service terminates them.
 */
import { UPLOAD_TIMEOUT } from '@whiskeysockets/baileys/lib/Defaults/index.js'

globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
  apply(setTimeout, self, args: Parameters<typeof globalThis.setTimeout>) {
    const timer: NodeJS.Timeout = Reflect.apply(setTimeout, self, args)
    return args[1] === UPLOAD_TIMEOUT ? timer.unref() : timer
  },
})
