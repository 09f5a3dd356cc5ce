/** Texts that contain the time when they were sent, so that the receiver can compute their delay. */

/**
 * Beginning of a text that contains its time. The simulated network replaces the placeholder by the time at which it
 * makes the text (`packages/sandbox/src/network/burst.ts`).
 */
export const STAMPED = 'at {now} no '
const STAMP = /at (\d+(?:\.\d+)?) no /

/** Returns the time in a text, in epoch ms, or undefined if the text contains no time. */
export function leftAt(text: string): number | undefined {
  const [, at] = STAMP.exec(text) ?? []
  return at === undefined ? undefined : Number(at)
}

export const epoch = () => performance.timeOrigin + performance.now()
