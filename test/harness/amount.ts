/**
 * How much of the same a test does: everything where `SVC_TEST_FULL=1` is set, as `npm run test:full` and `npm run test:faults` do, a part of it
 * in `npm test`, which has twenty minutes on two cores for all tests.
 */
export const amount = (full: number, part: number): number => (process.env.SVC_TEST_FULL === '1' ? full : part)
