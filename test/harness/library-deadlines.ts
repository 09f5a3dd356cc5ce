/**
 * The library leaves the deadline of an upload of pre-keys running when the upload is done. It must not keep the process of a test alive
 * for that half a minute: whatever has this length ends with the process. The shards of a service need no such thing, theirs is ended.
 */
import { UPLOAD_TIMEOUT } from '@whiskeysockets/baileys/lib/Defaults/index.js'

globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
  apply(setTimeout, self, args: Parameters<typeof globalThis.setTimeout>) {
    const timer: NodeJS.Timeout = Reflect.apply(setTimeout, self, args)
    return args[1] === UPLOAD_TIMEOUT ? timer.unref() : timer
  },
})
