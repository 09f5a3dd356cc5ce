/**
 * The library does not cancel the deadline of an upload of pre-keys after the upload. That deadline must not keep a
 * test's process alive for half a minute, so timers of this length do not keep the process alive. Shards of a service
 * need no such change, because they are terminated.
 */
import { UPLOAD_TIMEOUT } from '@whiskeysockets/baileys/lib/Defaults/index.js'

globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
  apply(setTimeout, self, args: Parameters<typeof globalThis.setTimeout>) {
    const timer: NodeJS.Timeout = Reflect.apply(setTimeout, self, args)
    return args[1] === UPLOAD_TIMEOUT ? timer.unref() : timer
  },
})
