/**
 * Matches test files that mostly wait: for a full disk, a start after a kill, or a page. `mixed` lets them alternate
 * with files that compute. If four waiting files ran at the same time, the cores would be idle for minutes.
 */
const WAITS = /\/test\/(browser|faults)\/|\/e2e\/newcomer\./
/**
 * Share of the list, from its beginning, that has all the waiting files. The files after this share are short, so no
 * long file runs alone at the end.
 */
const UNTIL = 0.75

/**
 * Returns the same files in another order: those that mostly wait are evenly distributed over the first three quarters
 * of the list.
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
