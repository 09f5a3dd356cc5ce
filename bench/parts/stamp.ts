/** Texts that contain the time when they left the network, so that the receiver can compute their delay. */

/**
 * This placeholder in the first part of a burst's texts becomes the time at which each text is made
 * (`packages/sandbox/src/network/burst.ts`).
 */
export const STAMPED = 'at {now} no '
const STAMP = /at (\d+(?:\.\d+)?) no /

/** Returns the time in a text, in epoch ms; undefined if the text contains no time. */
export function leftAt(text: string): number | undefined {
  const [, at] = STAMP.exec(text) ?? []
  return at === undefined ? undefined : Number(at)
}

export const epoch = () => performance.timeOrigin + performance.now()
