/**
 * Amount of repetitions in a test: all of them if `SVC_TEST_FULL=1` is set, as by `npm run test:full` and `npm run test:faults`; a part of them in
 * `npm test`, which has twenty minutes on two cores for all tests.
 */
export const amount = (full: number, part: number): number => (process.env.SVC_TEST_FULL === '1' ? full : part)
