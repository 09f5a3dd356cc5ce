/** Texts that say when they left the network, so that whoever gets one knows how long it took. */

/** In a burst's prefix, the time at which each text is made: `workers/simulator/network/burst.ts`. */
export const STAMPED = 'at {now} no '
const STAMP = /at (\d+(?:\.\d+)?) no /

/** Epoch ms; undefined where there is no stamp. */
export function leftAt(text: string): number | undefined {
  const [, at] = STAMP.exec(text) ?? []
  return at === undefined ? undefined : Number(at)
}

export const epoch = () => performance.timeOrigin + performance.now()
