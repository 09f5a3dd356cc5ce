/**
 * True in the full run (`npm run test:full`), which tests each rule in all cases. `npm test` tests only selected cases,
 * because it must take at most twenty minutes on two cores.
 */
export const isFull = process.env.SVC_TEST_FULL === '1'

/** Returns the number of repetitions, or the list of cases: `full` in the full run, and `part` otherwise. */
export const amount = <Full, Part>(full: Full, part: Part): Full | Part => (isFull ? full : part)

/** Value for the option `skip` of a test that only the full run needs. */
export const repetition: string | false = !isFull && 'the full run repeats the rule for this case (SVC_TEST_FULL=1)'
