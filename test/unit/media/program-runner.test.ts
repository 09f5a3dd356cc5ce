import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProgramFailed } from '../../../workers/media/program.ts'
import { createProgramRunner } from '../../../workers/media/program-runner.ts'
import { HOOKS, sameKind } from '../../harness/checkout.ts'

const LIMIT = { limitMs: 20_000 }
const sh = (script: string) => ['/bin/sh', ['-c', script]] as const
const isLinux = process.platform === 'linux'

const running = (mark: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
      } catch {
        return false
      }
    })
    .map(Number)

async function until(check: () => boolean) {
  while (!check()) await sleep(20)
}

suite('programs are started by a process of their own', () => {
  const runner = createProgramRunner()
  after(() => runner.end())

  test('the output comes back, several at a time', async () => {
    const outputs = await Promise.all([1, 2, 3].map((n) => runner.run(...sh(`printf ${n}`), LIMIT)))
    assert.deepEqual(outputs.map(String), ['1', '2', '3'])
  })

  test('or piece by piece, in order and whole', async () => {
    let seen = ''
    const rest = await runner.run(...sh('i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done'), {
      ...LIMIT,
      onData: (piece) => {
        seen += piece.toString()
      },
    })
    assert.equal(rest.byteLength, 0)
    assert.equal(seen, Array.from({ length: 20_000 }, (_, index) => `${index}\n`).join(''))
  })

  test('a failure says why', async () => {
    const why = (reason: string) => (error: unknown) => error instanceof ProgramFailed && error.why === reason
    await assert.rejects(
      runner.run(...sh('echo no >&2; exit 3'), LIMIT),
      (error: Error) => why('exit')(error) && /3: no/.test(error.message),
    )
    await assert.rejects(runner.run(...sh('exec sleep 20'), { limitMs: 100 }), why('timeout'))
    await assert.rejects(runner.run(...sh('head -c 40000000 /dev/zero'), LIMIT), why('output'))
  })

  test('no variable of ours is seen there, and it gives way to others', { skip: !isLinux }, async () => {
    process.env.SVC_TEST_SECRET = 'hush'
    const seen = createProgramRunner()
    const output = await seen.run(
      ...sh('cat /proc/$PPID/environ /proc/self/environ; ps -o ni= -p $$ 2>/dev/null || cut -d" " -f19 /proc/$$/stat'),
      LIMIT,
    )
    delete process.env.SVC_TEST_SECRET
    seen.end()
    assert.doesNotMatch(output.toString(), /hush/)
    assert.match(output.toString(), /\b10\s*$/)
  })

  test('what was killed with it is run again by a new one', { skip: !isLinux }, async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-programs-'))
    t.after(() => rm(dir, { recursive: true, force: true }))
    const own = createProgramRunner()
    t.after(() => own.end())
    const host = Number(await own.run(...sh('printf $PPID'), LIMIT))
    const output = own.run(...sh(`[ -e ${dir}/first ] && exec printf $PPID; echo >${dir}/first; exec sleep 20.0101`), LIMIT)
    await until(() => running('sleep\x0020.0101').length > 0)
    process.kill(host, 'SIGKILL')
    const second = Number(await output)
    assert.ok(second > 0 && second !== host)
    // The first program has lost its runner, so it would run for 20 s. The test ends it.
    for (const pid of running('sleep\x0020.0101')) process.kill(pid, 'SIGKILL')
  })

  test("a program that is killed is run once more, then it is nobody else's fault than the machine's", {
    skip: !isLinux,
  }, async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-programs-'))
    t.after(() => rm(dir, { recursive: true, force: true }))
    const run = runner.run(...sh(`echo x >>${dir}/runs; kill -9 $$`), LIMIT)
    await assert.rejects(run, (error) => error instanceof ProgramFailed && error.why === 'killed')
    assert.equal(readFileSync(join(dir, 'runs'), 'utf8'), 'x\nx\n')
    await assert.rejects(
      runner.run(...sh('kill -SEGV $$'), LIMIT),
      (error) => error instanceof ProgramFailed && error.why === 'exit',
    )
  })

  test('a signal to everything that belongs to the service does not end it before the service', { skip: !isLinux }, async () => {
    const host = Number(await runner.run(...sh('printf $PPID'), LIMIT))
    const output = runner.run(...sh('sleep 0.5; printf $PPID'), LIMIT)
    process.kill(host, 'SIGTERM')
    process.kill(host, 'SIGINT')
    assert.equal(Number(await output), host)
  })

  test('a moment after the last program it is gone, and no zombie of it is left; the next program finds a new one', {
    skip: !isLinux,
  }, async (t) => {
    const own = createProgramRunner(10)
    t.after(() => own.end())
    const host = Number(await own.run(...sh('printf $PPID'), LIMIT))
    await until(() => !existsSync(`/proc/${host}`))
    assert.notEqual(Number(await own.run(...sh('printf $PPID'), LIMIT)), host)
  })

  test('after the end nothing runs on and nothing is begun', { skip: !isLinux }, async () => {
    const own = createProgramRunner()
    const waits = assert.rejects(own.run(...sh('exec sleep 40.0303'), LIMIT), ProgramFailed)
    await until(() => running('sleep\x0040.0303').length > 0)
    own.end()
    await waits
    await assert.rejects(own.run(...sh('printf 1'), LIMIT), ProgramFailed)
    await until(() => running('sleep\x0040.0303').length === 0)
  })

  test('when the service is killed, nothing that it started goes on', { skip: !isLinux }, async () => {
    const url = sameKind('../../../workers/media/program-runner', import.meta.url).href
    const code = `const { createProgramRunner } = await import(${JSON.stringify(url)})
      createProgramRunner().run('/bin/sh', ['-c', 'exec sleep 30.0202'], { limitMs: 60000 })`
    const service = spawn(process.execPath, [...HOOKS, '--input-type=module', '-e', code], { stdio: 'inherit' })
    await until(() => running('sleep\x0030.0202').length > 0)
    service.kill('SIGKILL')
    await once(service, 'exit')
    await until(() => running('sleep\x0030.0202').length === 0)
  })
})
