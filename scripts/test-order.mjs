/**
 * The order in which test files begin. The files that mostly wait (for a full disk, a start after a kill, or a page) are in two folders. If they ran
 * together, four at a time, the cores would be idle for minutes. Spread among the files that compute, they cost almost no time.
 */
const WAITS = /\/test\/(browser|faults)\/|\/e2e\/newcomer\./
/** Part of the list. The last files to begin are short, so that no file runs alone at the end. */
const UNTIL = 0.75

/**
 * The same files, with the waiting ones spread evenly over the first three quarters.
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
