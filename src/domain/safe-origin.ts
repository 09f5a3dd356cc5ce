/** Whether what is sent to a caller can be read on its way. */

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/

/** `baseUrl`: URL at which callers reach the service. `source`: address of the caller. */
export const isSafeOrigin = (baseUrl: string, source: string): boolean =>
  new URL(baseUrl).protocol === 'https:' || LOOPBACK.test(source)
