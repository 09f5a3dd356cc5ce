/**
 * Module that is preloaded into a service to record the commits of its lmdb store (`bench/pages.ts`). The commits of
 * all threads are recorded, in the order in which they were made. Each line of the file in BENCH_COMMITS is one commit:
 * its operations as JSON, `[key, base64 or null]`.
 */
import { appendFileSync } from 'node:fs'

const file = process.env.BENCH_COMMITS

/** Wraps the methods of a store that write, so that their operations are recorded. */
function record(store) {
  const { put, remove } = store
  let ops
  store.put = function (key, value, ...rest) {
    ops?.push([key, Buffer.from(value).toString('base64')])
    return put.call(this, key, value, ...rest)
  }
  store.remove = function (key, ...rest) {
    ops?.push([key, null])
    return remove.call(this, key, ...rest)
  }
  for (const method of ['batch', 'childTransaction']) {
    const original = store[method]
    store[method] = function (callback) {
      return original.call(this, (...args) => {
        ops = []
        try {
          return callback.apply(this, args)
        } finally {
          appendFileSync(file, `${JSON.stringify(ops)}\n`)
          ops = undefined
        }
      })
    }
  }
}

// lmdb makes a class for each opened store, and assigns the methods to its prototype with `Object.assign`. So
// `Object.assign` is replaced.
const { assign } = Object
Object.assign = (target, ...sources) => {
  const assigned = assign(target, ...sources)
  if (sources.some((source) => source && Object.hasOwn(source, 'childTransaction') && Object.hasOwn(source, 'put')))
    record(assigned)
  return assigned
}
