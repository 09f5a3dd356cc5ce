/**
 * The order in which files of tests begin. Those that mostly wait, for a disk to fill, a killed service to start or a page to load, are in two folders:
 * one after the other, four at once, they would leave the cores idle for minutes. Spread among the files that compute they cost next to no time.
 */
const WAITS = /\/test\/(browser|faults)\/|\/e2e\/newcomer\./
/** Of the list; what begins last is short, so that no file runs alone at the end. */
const UNTIL = 0.75

/**
 * The same files, with those that wait at even distances in the first three quarters.
 *
 * @param {string[]} files
 * @returns {string[]}
 */
export function mixed(files) {
  const waiting = files.filter((file) => WAITS.test(file))
  const others = files.filter((file) => !WAITS.test(file))
  const distance = (others.length * UNTIL) / waiting.length
  const at = [
    ...waiting.map((file, index) => ({ file, place: index * distance })),
    ...others.map((file, index) => ({ file, place: index + 0.5 })),
  ]
  return at.toSorted((one, other) => one.place - other.place).map(({ file }) => file)
}
