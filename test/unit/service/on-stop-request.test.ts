/** Tests stop requests. Each case runs in a child process, because a signal is sent to the whole process. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { HOOKS, sameKind } from '../../harness/checkout.ts'

const MODULE = sameKind('../../../src/service/on-stop-request', import.meta.url)

/**
 * Runs `steps` (source code) in a child process. Resolves with the printed lines, and with the signal that ended the
 * process, if one did.
 */
async function run(steps: string): Promise<{ printed: string[]; signal: string | null }> {
  const program = `
    const { onStopRequest } = await import(process.argv[1])
    const handover = new AbortController()
    const print = (text) => process.stdout.write(text + '\\n')
    onStopRequest({ shutdownMs: 60_000 }, { info() {}, error() {} }, () => print('stop'), handover.signal)
    // A listener of signals alone does not keep the process alive.
    setInterval(() => {}, 1_000)
    const signal = async () => {
      // Listeners are called in their order, so this one is called after those of \`onStopRequest\`.
      const arrived = new Promise((resolve) => process.once('SIGTERM', resolve))
      process.kill(process.pid, 'SIGTERM')
      await arrived
    }
    ${steps}
    print('still there')
    process.exit(0)`
  const args = [...HOOKS, '--input-type=module', '--eval', program, MODULE.href]
  const { stdout, signal } = await promisify(execFile)(process.execPath, args).then(
    ({ stdout }) => ({ stdout, signal: null }),
    (error: { stdout: string; signal: string | null }) => error,
  )
  return { printed: stdout.trim().split('\n'), signal }
}

test('a signal or a handover begins one stop, and only a second signal ends the process', async () => {
  const [signal, twice, handover, both] = await Promise.all([
    run('await signal()'),
    run('await signal(); await signal()'),
    run('handover.abort(); handover.abort(); await signal()'),
    run('handover.abort(); await signal(); await signal()'),
  ])
  assert.deepEqual(signal, { printed: ['stop', 'still there'], signal: null })
  assert.deepEqual(twice, { printed: ['stop'], signal: 'SIGKILL' })
  assert.deepEqual(handover, { printed: ['stop', 'still there'], signal: null })
  assert.deepEqual(both, { printed: ['stop'], signal: 'SIGKILL' })
})
