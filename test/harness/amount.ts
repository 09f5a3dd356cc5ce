/**
 * Returns the number of repetitions in a test: `full` if `SVC_TEST_FULL=1` is set, and `part` otherwise. `npm test`
 * uses `part`, because all tests together have twenty minutes on two cores.
 */
export const amount = (full: number, part: number): number => (process.env.SVC_TEST_FULL === '1' ? full : part)
